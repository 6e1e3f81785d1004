// Package sockets is the suite that measures package streamsock: its scenarios and goals.
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
		Goals: goals(), Short: short, Plot: "oneway-64-ws",
	}
	for _, part := range [][]suite.Scenario{oneWays(), echoes(), batches(), manyConns()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// sizes are the sizes of the messages.
var sizes = []struct {
	bytes       int
	name, title string
}{{64, "64", "64 bytes"}, {1 << 10, "1k", "1 KiB"}, {64 << 10, "64k", "64 KiB"}, {256 << 10, "256k", "256 KiB"}}

// against are the peers that the others are compared with.
var against = []string{sockpeer.Beast}

// driven returns a scenario in which a client of the same kind as the peer does a task.
func driven(name, title string, t task, metrics []suite.Metric) suite.Scenario {
	peers, cannot := sockpeer.On(t.transport)
	return suite.Scenario{
		Name: name + "-" + t.transport, Title: title + ", " + t.transport, Peers: peers, Cannot: cannot, Against: against,
		Metrics: metrics, Options: process.Options{Socket: t.transport},
		Time: t.time, Check: t.check, Measure: t.measure,
	}
}

// oneWays returns the scenarios in which messages are sent one way, as fast as possible.
func oneWays() (all []suite.Scenario) {
	for _, size := range sizes {
		for _, transport := range sockpeer.Transports {
			all = append(all, driven("oneway-"+size.name, "one way, "+size.title,
				task{transport, sockpeer.OneWay, size.bytes}, []suite.Metric{rate, sender, receiver}))
		}
	}
	all[0].About = "Server and client are of the same stack. There is one connection; the sender has one core and the receiver the " +
		"other. The receiver compares every byte. The rate is the receiver's, until it has received all messages."
	return all
}

// echoes returns the scenarios with echoes one at a time: the next message is sent when the previous one is back.
func echoes() (all []suite.Scenario) {
	for _, transport := range sockpeer.Transports {
		all = append(all, driven("echo", "echo of 64 bytes, one after the other", task{transport, sockpeer.Lone, 64},
			[]suite.Metric{p50, p99, rate, client, server}))
	}
	all[0].Against = []string{sockpeer.Beast, sockpeer.C}
	all[0].About = "Server and client are of the same stack, on a core each. c shows what the system itself needs: it is blocking " +
		"sockets in C."
	return all
}

// batches returns the scenarios with echoes of 64 messages at a time.
func batches() (all []suite.Scenario) {
	for _, size := range sizes[:2] {
		for _, transport := range sockpeer.Transports {
			all = append(all, driven("batch-"+size.name, "echo of "+size.title+", 64 at a time",
				task{transport, sockpeer.Batch, size.bytes}, []suite.Metric{rate, client, server, p50, p99}))
		}
	}
	all[0].About = "The client sends 64 messages, and the next 64 when all have come back. The latency is that of all 64."
	return all
}

// manyConns returns the scenarios with many connections, over tcp and ws. The load generator is the same for all peers.
func manyConns() (all []suite.Scenario) {
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
		fan.Missing = func() error { return hold.ManyFiles(broadcastConns) }
		fan.Measure, fan.Time = t.broadcast, broadcastTime

		idle := kind
		idle.Name, idle.Title = "idle-"+string(t), "10,000 idle connections, "+string(t)
		idle.Peers, idle.Cannot = without(noManyConns)
		idle.Against, idle.Metrics = manyConnsAgainst(idle.Peers), []suite.Metric{rss, heap, goroutines}
		idle.Rounds, idle.Together = 3, true
		idle.Missing = func() error { return hold.ManyFiles(idleConns) }
		idle.Measure, idle.Time = t.idle, idleTime

		trickle := kind
		trickle.Name = "trickle-" + string(t)
		trickle.Title = fmt.Sprintf("64 bytes ten times a second on each of 1,000 connections beside 10,000 idle ones, %s", t)
		trickle.Peers, trickle.Cannot = without(noManyConns)
		trickle.Against, trickle.Metrics = idle.Against, []suite.Metric{cpu, user, system, rate}
		trickle.Missing = func() error { return hold.ManyFiles(idleConns + activeConns) }
		trickle.Measure, trickle.Time = t.trickle, trickleTime
		if t == "tcp" {
			fan.About = "One connection of the load generator sends a message and all receive it. The next message is sent when " +
				"every connection has received the previous one, whose every byte is compared. gws and ours encode a message " +
				"once; the others encode it for each connection."
			idle.About = "Resident memory that each connection adds after an echo of 64 bytes and an idle time of 12 times the " +
				"duration of a measurement, after debug.FreeOSMemory. All connections echo once more at the end. The kernel's " +
				"memory for the sockets is not included."
			trickle.About = "The server compares every byte and reports at the end how many messages have arrived."
		}
		all = append(all, fan, idle, trickle)
	}
	return all
}

// noManyConns are the reasons why peers do not take part in scenarios with 10,000 connections.
var noManyConns = map[string]string{
	sockpeer.Beast: "has a thread for each connection here", sockpeer.C: "has a process for each connection",
}

// manyConnsAgainst returns the peers among these that the others are compared with in those scenarios.
func manyConnsAgainst(peers []string) []string {
	return slices.DeleteFunc(slices.Clone(peers), func(name string) bool {
		return !strings.Contains(sockpeer.Net+" "+sockpeer.GWS, name)
	})
}
