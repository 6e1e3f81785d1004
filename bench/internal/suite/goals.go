package suite

import "math"

// NoFloor is the floor of a goal that has none.
var NoFloor = math.NaN()

// Ratio returns a goal about a figure of ours divided by that of another peer.
func Ratio(title, scenario string, m Metric, ours, theirs string, floor, goal float64) Goal {
	g := Figure(title, scenario, m, "", ours, floor, goal)
	g.Against = theirs
	return g
}

// Figure returns a goal about an absolute figure of ours.
func Figure(title, scenario string, m Metric, unit, ours string, floor, goal float64) Goal {
	g := Goal{Title: title, Scenario: scenario, Metric: m.Key, Unit: unit, Peer: ours, More: m.More, Goal: goal}
	if !math.IsNaN(floor) {
		g.Floor = &floor
	}
	return g
}

// Of returns a copy of the goal for each of the peers. The title of a copy begins with the peer's name.
func (g Goal) Of(peers []string) (all []Goal) {
	for _, name := range peers {
		one := g
		one.Title, one.Peer = name+g.Title, name
		all = append(all, one)
	}
	return all
}
