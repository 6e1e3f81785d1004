// Package sockets is the suite that measures package streamsock: its scenarios, and what our figures should reach.
package sockets

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Suite returns the suite.
func Suite() *suite.Suite {
	s := &suite.Suite{
		Name: "sockets", Title: "Routing-id sockets", Peers: sockpeer.All, Ours: sockpeer.Ours, Modules: sockpeer.Modules,
		Goals: goals(), Short: short,
	}
	for _, part := range [][]suite.Scenario{oneWays(), lone(), batches(), crowds()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// sizes are those of messages.
var sizes = []struct {
	bytes       int
	name, title string
}{{64, "64", "64 bytes"}, {1 << 10, "1k", "1 KiB"}, {64 << 10, "64k", "64 KiB"}, {256 << 10, "256k", "256 KiB"}}

// against is whom others are compared with.
var against = []string{sockpeer.Beast}

// driven is a scenario in which a client of the peer's own kind does a task.
func driven(name, title string, t task, metrics []suite.Metric) suite.Scenario {
	peers, cannot := sockpeer.On(t.transport)
	return suite.Scenario{
		Name: name + "-" + t.transport, Title: title + ", " + t.transport, Peers: peers, Cannot: cannot, Against: against,
		Metrics: metrics, Options: process.Options{Socket: t.transport},
		Time: t.time, Check: t.check, Measure: t.measure,
	}
}

// oneWays are messages as fast as they go.
func oneWays() (all []suite.Scenario) {
	for _, size := range sizes {
		for _, transport := range sockpeer.Transports {
			all = append(all, driven("oneway-"+size.name, "one way, "+size.title,
				task{transport, sockpeer.OneWay, size.bytes}, []suite.Metric{rate, sender, receiver}))
		}
	}
	all[0].About = "Each stack with itself: one connection, the sender on one core and the receiver on the other, who looks " +
		"at every byte. The rate is the receiver's, until all has arrived."
	return all
}

// lone are echoes of which none is sent before the last is there.
func lone() (all []suite.Scenario) {
	for _, transport := range sockpeer.Transports {
		all = append(all, driven("echo", "echo of 64 bytes, one after the other", task{transport, sockpeer.Lone, 64},
			[]suite.Metric{p50, p99, rate, client, server}))
	}
	all[0].Against = []string{sockpeer.Beast, sockpeer.C}
	all[0].About = "Each stack with itself, on a core each. c is what the system itself takes: blocking sockets in C."
	return all
}

// batches are echoes of which many are under way.
func batches() (all []suite.Scenario) {
	for _, size := range sizes[:2] {
		for _, transport := range sockpeer.Transports {
			all = append(all, driven("batch-"+size.name, "echo of "+size.title+", 64 at a time",
				task{transport, sockpeer.Batch, size.bytes}, []suite.Metric{rate, client, server, p50, p99}))
		}
	}
	all[0].About = "The client sends 64 messages, and the next 64 when all have come back; the latency is that of 64."
	return all
}

// crowds are many connections of one generator, bare or WebSockets, to one peer.
func crowds() (all []suite.Scenario) {
	for _, t := range []many{"tcp", "ws"} {
		peers, cannot := sockpeer.On(string(t))
		without := func(reasons map[string]string) (left []string, why map[string]string) {
			why = maps.Clone(reasons)
			maps.Copy(why, cannot)
			return slices.DeleteFunc(slices.Clone(peers), func(name string) bool { return why[name] != "" }), why
		}
		kind := suite.Scenario{Options: process.Options{Socket: string(t)}, Check: t.check}

		fan := kind
		fan.Name, fan.Title = "fanout-"+string(t), "1 KiB to 5,000 connections, "+string(t)
		fan.Peers, fan.Cannot = without(map[string]string{sockpeer.C: "has one connection"})
		fan.Against, fan.Metrics = against, []suite.Metric{delivery, user, system, deliveries, toAll}
		fan.Missing = func() error { return hold.ManyFiles(audience) }
		fan.Measure, fan.Time = t.broadcast, broadcastTime

		idle := kind
		idle.Name, idle.Title = "idle-"+string(t), "10,000 idle connections, "+string(t)
		idle.Peers, idle.Cannot = without(noCrowd)
		idle.Against, idle.Metrics = lasting(idle.Peers), []suite.Metric{rss, heap, goroutines}
		idle.Rounds, idle.Together = 3, true
		idle.Missing = func() error { return hold.ManyFiles(idleConns) }
		idle.Measure, idle.Time = t.idle, idleTime

		trickle := kind
		trickle.Name = "trickle-" + string(t)
		trickle.Title = fmt.Sprintf("64 bytes ten times a second on each of 1,000 connections beside 10,000 idle ones, %s", t)
		trickle.Peers, trickle.Cannot = without(noCrowd)
		trickle.Against, trickle.Metrics = idle.Against, []suite.Metric{cpu, user, system, rate}
		trickle.Missing = func() error { return hold.ManyFiles(idleConns + speakers) }
		trickle.Measure, trickle.Time = t.trickle, trickleTime
		if t == "tcp" {
			fan.About = "One connection of the generator says it and all get it back; the next follows when every one has " +
				"received the one before, of which every byte is compared. gws and ours prepare it once; the others write it " +
				"anew for each."
			idle.About = "Resident memory that each adds after an echo of 64 bytes and a silence of 12 measurements' " +
				"durations, after debug.FreeOSMemory. All echo once more at the end. Memory of the kernel's sockets is not in it."
			trickle.About = "In the end the server says what has arrived, of which it has looked at every byte."
		}
		all = append(all, fan, idle, trickle)
	}
	return all
}

// noCrowd is who takes no part where there are ten thousand connections.
var noCrowd = map[string]string{
	sockpeer.Beast: "has a thread for each connection here", sockpeer.C: "has a process for each connection",
}

// lasting are those that ours are compared with there.
func lasting(peers []string) []string {
	return slices.DeleteFunc(slices.Clone(peers), func(name string) bool {
		return !strings.Contains(sockpeer.Net+" "+sockpeer.GWS, name)
	})
}
