package sockets

import (
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// target is a floor and a goal for the ratio of a rate to Beast's.
type target struct{ floor, goal float64 }

// targets are the targets by message size and transport.
var targets = map[string]map[string]target{
	"64":   {"tcp": {8, 12}, "ws": {12, 15}, "tls": {15, 25}, "wss": {15, 20}},
	"1k":   {"tcp": {3, 3.5}, "ws": {4.5, 6}, "tls": {4, 5}, "wss": {5, 6}},
	"64k":  {"tcp": {1.2, 2.5}, "ws": {2, 3.5}, "tls": {0.9, 1.1}, "wss": {1.5, 2.2}},
	"256k": {"tcp": {1, 1.5}, "ws": {2, 3.5}, "tls": {0.8, 1}, "wss": {1.3, 2.2}},
}

// goals returns the goals of our sockets.
func goals() (all []suite.Goal) {
	for _, size := range sizes {
		for _, transport := range sockpeer.Transports {
			t := targets[size.name][transport]
			all = append(all, suite.Ratio(", one way, "+size.title+", "+transport+": rate", "oneway-"+size.name+"-"+transport, rate, "",
				sockpeer.Beast, t.floor, t.goal).Of(sockpeer.Ours)...)
		}
	}
	all = append(all, suite.Ratio(", echo of 64 bytes, tcp: latency", "echo-tcp", p50, "", sockpeer.C, 1.25, 1.1).Of(sockpeer.Ours)...)
	for _, transport := range []string{"tcp", "ws"} {
		all = append(all, suite.Figure(", memory of an idle connection, "+transport, "idle-"+transport, rss, "B", "", 1750, 1400).Of(sockpeer.Ours)...)
	}
	return all
}

// short is this suite's part of the summary.
var short = []suite.Line{
	{Title: "Sockets: sender's CPU time of 64 bytes one way, ws", Scenario: "oneway-64-ws", Metric: sender.Key, Peer: sockpeer.Recv, Against: sockpeer.Beast},
}
