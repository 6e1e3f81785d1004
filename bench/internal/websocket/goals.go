package websocket

import (
	"slices"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// goals are what our connections should reach, beside the peer that each is measured against.
var goals = slices.Concat(
	ratio(", echo of 64 bytes: CPU time", "echo-64-100", cpu, 0.9, 0.8),
	ratio(", echo of 1 KiB: CPU time", "echo-1k-100", cpu, 0.9, 0.8),
	ratio(", echo of 16 KiB: CPU time", "echo-16k-100", cpu, 0.95, 0.8),
	ratio(", 64 bytes, 16 in flight: CPU time", "in-flight", cpu, 0.12, 0.08),
	ratio(": CPU time of a broadcast's delivery", "broadcast", delivery, 0.8, 0.6),
	ratio(", permessage-deflate: CPU time", "deflate", cpu, 1.0, 0.9),
	[]suite.Goal{
		suite.Figure("blocking: memory of an idle connection", "idle", rss, "B", wspeer.Blocking, 6000, 4000),
		suite.Figure("callbacks: memory of an idle connection", "idle", rss, "B", wspeer.Callbacks, 2200, 1500),
	},
	suite.Figure(", permessage-deflate: memory of an idle connection", "idle-deflate", rss, "B", "", 8000, 1000).Of(wspeer.Ours),
	memoryGoals,
)

// ratio is a goal of each of ours beside the fastest of the field.
func ratio(title, scenario string, m suite.Metric, floor, goal float64) []suite.Goal {
	return suite.Ratio(title, scenario, m, "", wspeer.GWS, floor, goal).Of(wspeer.Ours)
}

// memoryGoals are about code without I/O.
var memoryGoals = []suite.Goal{
	suite.Ratio("read into the caller's buffer", "memory-read", nanoseconds, wspeer.Blocking, wspeer.GWS, 0.6, 0.33),
	suite.Ratio("read as a view in a callback", "memory-read", nanoseconds, wspeer.Callbacks, wspeer.GWS, 0.35, 0.2),
	suite.Figure("allocations of ReadMessageInto", "memory-read", allocs, "", wspeer.Blocking, 0, 0),
	suite.Figure("allocations of a view in a callback", "memory-read", allocs, "", wspeer.Callbacks, 0, 0),
	suite.Figure("allocations of ReadMessage", "memory-message", allocs, "", wspeer.Blocking, 1, 0),
	suite.Ratio("write", "memory-write", nanoseconds, wspeer.Blocking, wspeer.Gorilla, 1, 1),
	suite.Figure("allocations of a write", "memory-write", allocs, "", wspeer.Blocking, 0, 0),
	suite.Figure("writes on the connection of a write", "memory-write", writes, "", wspeer.Blocking, 1, 1),
	suite.Figure("masking, speed of a loop over words of eight bytes", "memory-mask", speed, "", wspeer.Blocking, 3.6, 5),
	suite.Figure("UTF-8, speed of unicode/utf8", "memory-utf8", speed, "", wspeer.Blocking, 8, 12),
}

// claims stand in the README's head.
var claims = []suite.Claim{
	{Text: "**WebSocket in the same process and on the same port**: an idle connection with callbacks in %s of gorilla's memory.",
		Scenario: "idle", Metric: rss.Key, Peer: wspeer.Callbacks, Against: wspeer.Gorilla},
}

// short is our part of the summary. Losses belong into it as much as wins.
var short = []suite.Line{
	{Title: "WebSocket: CPU time of an echo of 64 bytes, 100 connections", Scenario: "echo-64-100", Metric: cpu.Key, Peer: wspeer.Callbacks, Against: wspeer.Gorilla},
	{Title: "… of 16 KiB", Scenario: "echo-16k-100", Metric: cpu.Key, Peer: wspeer.Blocking, Against: wspeer.GWS},
	{Title: "WebSocket: memory of an idle connection", Scenario: "idle", Metric: rss.Key, Peer: wspeer.Callbacks, Against: wspeer.Gorilla},
	{Title: "WebSocket: writing 1 KiB, without I/O", Scenario: "memory-write", Metric: nanoseconds.Key, Peer: wspeer.Blocking, Against: wspeer.Gorilla},
}
