package websocket

import (
	"slices"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// goals are the goals of our connections. Most are ratios to another peer's figure.
var goals = slices.Concat(
	echo("64 bytes, 100 connections", "echo-64-100"),
	echo("64 bytes, 1,000 connections", "echo-64-1000"),
	echo("1 KiB, 100 connections", "echo-1k-100"),
	echo("1 KiB, 1,000 connections", "echo-1k-1000"),
	ratio(", echo of 16 KiB, 100 connections: CPU time", "echo-16k-100", cpu, 0.9, 0.78),
	ratio(", echo of 16 KiB, 1,000 connections: CPU time", "echo-16k-1000", cpu, 1.0, 0.78),
	ratio(", 64 bytes, 16 in flight: CPU time", "in-flight", cpu, 0.10, 0.07),
	ratio(": CPU time of a broadcast's delivery", "broadcast", delivery, 0.8, 0.6),
	ratio(", permessage-deflate: CPU time", "deflate", cpu, 0.95, 0.85),
	[]suite.Goal{
		suite.Figure("blocking: memory of an idle connection", "idle", rss, "B", wspeer.Blocking, 5100, 4000),
		suite.Figure("callbacks: memory of an idle connection", "idle", rss, "B", wspeer.Callbacks, 1750, 1200),
		suite.Figure("blocking, permessage-deflate: memory of an idle connection", "idle-deflate", rss, "B", wspeer.Blocking, 8100, 4000),
		suite.Figure("callbacks, permessage-deflate: memory of an idle connection", "idle-deflate", rss, "B", wspeer.Callbacks, 1950, 1300),
	},
	memoryGoals,
)

// ratio returns a goal for each of ours about the ratio to gws, the fastest of the other packages.
func ratio(title, scenario string, m suite.Metric, floor, goal float64) []suite.Goal {
	return suite.Ratio(title, scenario, m, "", wspeer.GWS, floor, goal).Of(wspeer.Ours)
}

// echo returns the goals of an echo scenario.
func echo(what, scenario string) []suite.Goal {
	return []suite.Goal{
		suite.Ratio("blocking, echo of "+what+": CPU time", scenario, cpu, wspeer.Blocking, wspeer.GWS, 0.83, 0.76),
		suite.Ratio("callbacks, echo of "+what+": CPU time", scenario, cpu, wspeer.Callbacks, wspeer.GWS, 0.9, 0.76),
	}
}

// memoryGoals are the goals of the scenarios without I/O.
var memoryGoals = []suite.Goal{
	suite.Ratio("read into the caller's buffer", "memory-read", nanoseconds, wspeer.Blocking, wspeer.GWS, 0.43, 0.33),
	suite.Ratio("read as a view in a callback", "memory-read", nanoseconds, wspeer.Callbacks, wspeer.GWS, 0.3, 0.2),
	suite.Figure("allocations of ReadMessageInto", "memory-read", allocs, "", wspeer.Blocking, 0, 0),
	suite.Figure("allocations of a view in a callback", "memory-read", allocs, "", wspeer.Callbacks, 0, 0),
	suite.Figure("allocations of ReadMessage", "memory-message", allocs, "", wspeer.Blocking, 1, 0),
	suite.Ratio("write", "memory-write", nanoseconds, wspeer.Blocking, wspeer.Gorilla, 1, 1),
	suite.Figure("allocations of a write", "memory-write", allocs, "", wspeer.Blocking, 0, 0),
	suite.Figure("writes on the connection of a write", "memory-write", writes, "", wspeer.Blocking, 1, 1),
	suite.Figure("masking, speed of a loop over words of eight bytes", "memory-mask", speed, "", wspeer.Blocking, 5, 6.6),
	suite.Figure("UTF-8, speed of unicode/utf8", "memory-utf8", speed, "", wspeer.Blocking, 12, 13.4),
}

// claims are for the beginning of the README.
var claims = []suite.Claim{
	{Text: "**WebSocket in the same process and on the same port**: an idle connection with callbacks in %s of gorilla's memory.",
		Scenario: "idle", Metric: rss.Key, Peer: wspeer.Callbacks, Against: wspeer.Gorilla},
}

// short is this suite's part of the summary. It shows losses as well as wins.
var short = []suite.Line{
	{Title: "WebSocket: CPU time of an echo of 64 bytes, 100 connections", Scenario: "echo-64-100", Metric: cpu.Key, Peer: wspeer.Callbacks, Against: wspeer.Gorilla},
	{Title: "WebSocket: memory of an idle connection", Scenario: "idle", Metric: rss.Key, Peer: wspeer.Callbacks, Against: wspeer.Gorilla},
	{Title: "WebSocket: writing 1 KiB, without I/O", Scenario: "memory-write", Metric: nanoseconds.Key, Peer: wspeer.Blocking, Against: wspeer.Gorilla},
}
