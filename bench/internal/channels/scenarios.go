// Package channels is the suite that measures package tcpmux: its scenarios and goals.
package channels

import (
	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/muxpeer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// The metrics of the scenarios.
var (
	rate       = suite.Metric{Key: suite.Rate, Title: "messages/s", More: true}
	p50        = suite.Metric{Key: suite.P50, Title: "p50 µs"}
	p99        = suite.Metric{Key: suite.P99, Title: "p99 µs"}
	client     = suite.Metric{Key: "client_us", Title: "client's CPU µs/message"}
	server     = suite.Metric{Key: "server_us", Title: "server's CPU µs/message"}
	rss        = suite.Metric{Key: "rss_bytes", Title: "RSS bytes/session"}
	heap       = suite.Metric{Key: "heap_bytes", Title: "heap bytes/session"}
	goroutines = suite.Metric{Key: "goroutines", Title: "goroutines in all"}
)

// Suite returns the suite.
func Suite() *suite.Suite {
	s := &suite.Suite{
		Name: "channels", Title: "Channels over one connection", Peers: muxpeer.All, Ours: muxpeer.Ours, Modules: muxpeer.Modules,
		Goals: goals(), Short: short, Plot: "many-100",
	}
	for _, part := range [][]suite.Scenario{echoes(), oneWays(), many(), {idle()}} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// sizes are the sizes of the messages.
var sizes = []struct {
	bytes       int
	name, title string
}{{100, "100", "100 bytes"}, {1 << 10, "1k", "1 KiB"}, {64 << 10, "64k", "64 KiB"}, {200_000, "200k", "200 kB"}, {1 << 20, "1m", "1 MiB"}}

// against are the peers that the others are compared with: the lower bound, and the most widely used package.
var against = []string{muxpeer.Raw, muxpeer.Yamux}

// driven returns a scenario in which a client of the same kind as the peer does a task.
func driven(name, title string, t task, metrics []suite.Metric) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: title, Peers: muxpeer.All, Against: against, Metrics: metrics, Options: process.Options{Mux: true},
		Time: t.time, Check: t.check, Measure: t.measure,
	}
}

// echoes returns the scenarios with round trips, one at a time: the next message is sent when the previous one is back.
func echoes() (all []suite.Scenario) {
	for _, size := range sizes {
		all = append(all, driven("echo-"+size.name, "echo of "+size.title+", one after the other",
			task{What: muxpeer.Echo, Size: size.bytes, Channels: 1}, []suite.Metric{p50, p99, rate, client, server}))
	}
	all[0].About = "Echoes are round trips, one at a time: the next message is sent when the previous one is back. Server and client " +
		"are of the same kind, on a core each; every byte is compared. raw is a TCP connection with length-prefixed messages, " +
		"h2streams an HTTP/2 request whose bodies flow in both directions at once, at-most-once is tcpmux without resuming: the " +
		"difference between it and tcpmux is the cost of resuming. yamux and smux have windows of 1 MiB; length and message are " +
		"sent in one write."
	return all
}

// oneWays returns the scenarios in which messages are sent one way, as fast as possible.
func oneWays() (all []suite.Scenario) {
	for _, size := range sizes {
		all = append(all, driven("oneway-"+size.name, "one way, "+size.title,
			task{What: muxpeer.OneWay, Size: size.bytes, Channels: 1}, []suite.Metric{rate, client, server}))
	}
	all[0].About = "The time ends when the server has reported that it has received all messages."
	return all
}

// many returns the scenarios with echoes on 64 channels at once.
func many() (all []suite.Scenario) {
	for _, size := range sizes[:3] {
		all = append(all, driven("many-"+size.name, "64 channels at once, each an echo of "+size.title,
			task{What: muxpeer.Echo, Size: size.bytes, Channels: 64}, []suite.Metric{rate, p50, p99, client, server}))
	}
	all[0].About = "All channels are in one session; raw has 64 connections."
	return all
}

// idle returns the scenario with idle sessions.
func idle() suite.Scenario {
	small := task{What: muxpeer.Echo, Size: 4, Channels: 1}
	return suite.Scenario{
		Name: "idle", Title: "10,000 idle sessions", Against: against,
		Peers:   []string{muxpeer.Tcpmux, muxpeer.Once, muxpeer.Raw, muxpeer.Yamux, muxpeer.Smux},
		Cannot:  map[string]string{muxpeer.HTTP2: "is held by the suite http2"},
		Metrics: []suite.Metric{rss, heap, goroutines}, Rounds: 3, Together: true, Options: process.Options{Mux: true},
		About: "Resident memory that each session adds to the server after an exchange on a channel that is closed again, and an " +
			"idle time of 12 times the duration of a measurement, after debug.FreeOSMemory. The kernel's memory for the sockets is " +
			"not included.",
		Missing: func() error { return hold.ManyFiles(sessions) },
		Check:   small.check, Measure: measureIdle, Time: idleTime,
	}
}

// goals returns the goals of tcpmux.
func goals() []suite.Goal {
	return []suite.Goal{
		suite.Ratio("echo of 100 bytes: time", "echo-100", p50, muxpeer.Tcpmux, muxpeer.Raw, 1.3, 1.3),
		suite.Ratio("echo of 200 kB: time", "echo-200k", p50, muxpeer.Tcpmux, muxpeer.Raw, 1.1, 1.1),
		suite.Ratio("64 channels at once, 100 bytes: rate", "many-100", rate, muxpeer.Tcpmux, muxpeer.Yamux, 8, 8),
		suite.Ratio("one way, 100 bytes: rate", "oneway-100", rate, muxpeer.Tcpmux, muxpeer.Raw, 10, 10),
		suite.Figure("memory of an idle session", "idle", rss, "B", muxpeer.Tcpmux, 2500, 2500),
	}
}

// short is this suite's part of the summary.
var short = []suite.Line{
	{Title: "Channels: time of an echo of 100 bytes", Scenario: "echo-100", Metric: p50.Key, Peer: muxpeer.Tcpmux, Against: muxpeer.Raw},
	{Title: "… of 200 kB", Scenario: "echo-200k", Metric: p50.Key, Peer: muxpeer.Tcpmux, Against: muxpeer.Raw},
	{Title: "… of 100 bytes on 64 channels: client's CPU time", Scenario: "many-100", Metric: client.Key, Peer: muxpeer.Tcpmux, Against: muxpeer.Yamux},
}
