package websocket

import (
	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// goals are what our connections should reach, beside the peer that each is measured against.
var goals = append(append(echoGoals(), []suite.Goal{
	ratio("blocking, 64 bytes, 16 in flight: CPU time", "in-flight", cpu, wspeer.Blocking, wspeer.GWS, 0.12, 0.08),
	ratio("callbacks, 64 bytes, 16 in flight: CPU time", "in-flight", cpu, wspeer.Callbacks, wspeer.GWS, 0.12, 0.08),
	ratio("blocking: CPU time of a broadcast's delivery", "broadcast", delivery, wspeer.Blocking, wspeer.GWS, 0.8, 0.6),
	ratio("callbacks: CPU time of a broadcast's delivery", "broadcast", delivery, wspeer.Callbacks, wspeer.GWS, 0.8, 0.6),
	ratio("blocking, permessage-deflate: CPU time", "deflate", cpu, wspeer.Blocking, wspeer.GWS, 1.0, 0.9),
	ratio("callbacks, permessage-deflate: CPU time", "deflate", cpu, wspeer.Callbacks, wspeer.GWS, 1.0, 0.9),
	figure("blocking: memory of an idle connection", "idle", rss, "B", wspeer.Blocking, 6000, 4000),
	figure("callbacks: memory of an idle connection", "idle", rss, "B", wspeer.Callbacks, 2200, 1500),
	figure("blocking, permessage-deflate: memory of an idle connection", "idle-deflate", rss, "B", wspeer.Blocking, 8000, 1000),
	figure("callbacks, permessage-deflate: memory of an idle connection", "idle-deflate", rss, "B", wspeer.Callbacks, 8000, 1000),
}...), memoryGoals...)

// memoryGoals are about code without I/O.
var memoryGoals = []suite.Goal{
	ratio("read into the caller's buffer", "memory-read", nanoseconds, wspeer.Blocking, wspeer.GWS, 0.6, 0.33),
	ratio("read as a view in a callback", "memory-read", nanoseconds, wspeer.Callbacks, wspeer.GWS, 0.35, 0.2),
	figure("allocations of ReadMessageInto", "memory-read", allocs, "", wspeer.Blocking, 0, 0),
	figure("allocations of a view in a callback", "memory-read", allocs, "", wspeer.Callbacks, 0, 0),
	figure("allocations of ReadMessage", "memory-message", allocs, "", wspeer.Blocking, 1, 0),
	ratio("write", "memory-write", nanoseconds, wspeer.Blocking, wspeer.Gorilla, 0.35, 0.2),
	figure("allocations of a write", "memory-write", allocs, "", wspeer.Blocking, 0, 0),
	figure("writes on the connection of a write", "memory-write", writes, "", wspeer.Blocking, 1, 1),
	faster("masking, speed of a loop over words of eight bytes", "memory-mask", 3.6, 5),
	faster("UTF-8, speed of unicode/utf8", "memory-utf8", 8, 12),
}

func echoGoals() (all []suite.Goal) {
	for _, size := range []struct {
		name, title string
		floor, goal float64
	}{{"echo-64-100", "64 bytes", 0.9, 0.8}, {"echo-1k-100", "1 KiB", 0.9, 0.8}, {"echo-16k-100", "16 KiB", 0.95, 0.8}} {
		for _, ours := range wspeer.Ours {
			title := ours + ", echo of " + size.title + ": CPU time"
			all = append(all, ratio(title, size.name, cpu, ours, wspeer.GWS, size.floor, size.goal))
		}
	}
	return all
}

// ratio is a goal about a figure of ours divided by that of another.
func ratio(title, scenario string, m suite.Metric, ours, theirs string, floor, goal float64) suite.Goal {
	return suite.Goal{Title: title, Scenario: scenario, Metric: m.Key, Peer: ours, Against: theirs, Floor: &floor, Goal: goal}
}

// figure is a goal about a figure by itself.
func figure(title, scenario string, m suite.Metric, unit, ours string, floor, goal float64) suite.Goal {
	return suite.Goal{Title: title, Scenario: scenario, Metric: m.Key, Unit: unit, Peer: ours, Floor: &floor, Goal: goal}
}

// faster is a goal about a speed that was measured beside another in the same process.
func faster(title, scenario string, floor, goal float64) suite.Goal {
	return suite.Goal{Title: title, Scenario: scenario, Metric: speed.Key, Peer: wspeer.Blocking, More: true, Floor: &floor, Goal: goal}
}

// short is the README's table.
var short = []suite.Line{
	{Title: "CPU µs an echo of 64 bytes, 100 connections", Scenario: "echo-64-100", Metric: cpu.Key},
	{Title: "… 1,000 connections", Scenario: "echo-64-1000", Metric: cpu.Key},
	{Title: "… of 1 KiB, 100 connections", Scenario: "echo-1k-100", Metric: cpu.Key},
	{Title: "… of 16 KiB, 100 connections", Scenario: "echo-16k-100", Metric: cpu.Key},
	{Title: "… of 64 bytes, 16 in flight", Scenario: "in-flight", Metric: cpu.Key},
	{Title: "… of 1 KiB, permessage-deflate", Scenario: "deflate", Metric: cpu.Key},
	{Title: "CPU µs a delivery, broadcast of 1 KiB to 5,000", Scenario: "broadcast", Metric: cpu.Key},
	{Title: "bytes of memory of an idle connection", Scenario: "idle", Metric: rss.Key},
	{Title: "… with permessage-deflate", Scenario: "idle-deflate", Metric: rss.Key},
	{Title: "ns to read 1 KiB, no I/O", Scenario: "memory-read", Metric: nanoseconds.Key},
	{Title: "ns to write 1 KiB, no I/O", Scenario: "memory-write", Metric: nanoseconds.Key},
}
