// Package http3 is the suite that measures HTTP/3 servers: its scenarios and goals.
package http3

import (
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/h3peer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Suite returns the suite.
func Suite() *suite.Suite {
	s := &suite.Suite{
		Name: "http3", Title: "HTTP/3 servers", Peers: h3peer.All, Ours: h3peer.Ours, Goals: goals, Short: short, Plot: "get-1x100",
		Modules: map[string]string{"github.com/quic-go/quic-go": h3peer.QuicGo},
	}
	for _, part := range [][]suite.Scenario{small(), bodies(), long(), counted()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// scenario returns a scenario of all peers that lacks its measurement.
func scenario(name, title string, t traffic) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: title, Peers: h3peer.All, Against: []string{h3peer.QuicGo, h3peer.Quinn}, Options: process.Options{HTTP3: true},
		Check: t.check,
	}
}

// loaded returns a scenario that runs the load generator. CPU time per request is its most important figure.
func loaded(name, title string, t traffic) suite.Scenario {
	sc := scenario(name, title, t)
	sc.Metrics, sc.Time, sc.Measure = perRequest, t.time, t.measure
	return sc
}

// small returns the scenarios with small responses.
func small() []suite.Scenario {
	return []suite.Scenario{
		loaded("get-1x1", "13 bytes, 1 connection, 1 request at once", traffic{path: peer.PathText, conns: 1, streams: 1}),
		loaded("get-1x100", "13 bytes, 1 connection, 100 requests at once", traffic{path: peer.PathText, conns: 1, streams: 100}),
		loaded("get-10x10", "13 bytes, 10 connections, 10 requests at once on each", traffic{path: peer.PathText, conns: 10, streams: 10}),
		loaded("get-100x1", "13 bytes, 100 connections, 1 request at once on each", traffic{path: peer.PathText, conns: 100, streams: 1}),
	}
}

// bodies returns the scenarios with large responses and with request bodies.
func bodies() []suite.Scenario {
	large := loaded("get-1m", "1 MiB, 1 connection, 10 requests at once", traffic{path: peer.Path1M, conns: 1, streams: 10})
	large.About = "Caddy reads a file, the others have the bytes in memory. The load generator's receive windows are 1 GiB."
	return []suite.Scenario{
		loaded("get-16k", "16 KiB, 10 connections, 10 requests at once on each", traffic{path: peer.Path16K, conns: 10, streams: 10}),
		large,
		loaded("post-1k", "POST of 1 KiB, 1 connection, 100 requests at once", traffic{path: peer.PathPost, body: 1 << 10, conns: 1, streams: 100}),
		loaded("post-1m", "POST of 1 MiB, 1 connection, 10 requests at once", traffic{path: peer.PathPost, body: 1 << 20, conns: 1, streams: 10}),
	}
}

// long returns the scenarios with bodies that are longer than every receive window.
func long() []suite.Scenario {
	get := loaded("get-100m", "100 MiB, 1 connection, 1 request at once",
		traffic{path: h3peer.Stream(100), conns: 1, streams: 1, sample: &traffic{path: h3peer.Stream(2)}})
	get.About = "The handlers write 64 KiB at once. A fixed number of requests is measured, two for each second of a measurement."
	post := loaded("post-100m", "POST of 100 MiB, 1 connection, 1 request at once",
		traffic{path: peer.PathPost, body: 100 << 20, conns: 1, streams: 1, sample: &traffic{path: peer.PathPost, body: 2 << 20}})
	get.Rounds, post.Rounds = 3, 3
	return []suite.Scenario{get, post}
}

// without returns all peers but one, and why that one does not take part.
func without(name, why string) (peers []string, cannot map[string]string) {
	is := func(other string) bool { return other == name }
	return slices.DeleteFunc(slices.Clone(h3peer.All), is), map[string]string{name: why}
}

// counted returns the scenarios that count handshakes, memory and allocations.
func counted() []suite.Scenario {
	text := traffic{path: peer.PathText}
	fresh := scenario("handshakes", "each request on a new connection", text)
	fresh.Metrics, fresh.Measure = []suite.Metric{perCore, cpu, user, system, rate}, measureHandshakes
	fresh.Time = func(d time.Duration) time.Duration { return d + warmup(d) + 300*time.Millisecond }
	fresh.About = "Full handshakes, 32 at once; no session is resumed. CPU time is that of a handshake, a request and the end of the " +
		"connection. Handshakes per second of CPU time are computed from it; the rate is what the client reached, which is quic-go's."

	idle := scenario("idle", "1,000 idle connections of HTTP/3", text)
	idle.Metrics, idle.Rounds, idle.Together = []suite.Metric{rss, heap, goroutines}, 3, true
	idle.Missing, idle.Time, idle.Measure = manyFiles, idleTime, measureIdle
	idle.Peers, idle.Cannot = without(h3peer.Caddy, "ends connections that are silent for 30 s, which has no setting")
	idle.About = "Resident memory that each connection adds after one request and an idle time of 24 times the duration of a " +
		"measurement, after debug.FreeOSMemory. All connections answer once more at the end."

	objects := scenario("allocations", "allocations, 1 connection, 100 requests at once", text)
	objects.Metrics, objects.Rounds, objects.Measure = []suite.Metric{allocs}, 3, measureAllocs
	objects.Peers, objects.Cannot = without(h3peer.Quinn, "does not count allocations")
	objects.Against = []string{h3peer.QuicGo}
	objects.Time = func(time.Duration) time.Duration { return 3 * time.Second }
	objects.About = "Objects that the whole process allocates (runtime.MemStats.Mallocs) during 20,000 requests on one connection, " +
		"per request. Most are quic-go's, which our servers use for QUIC."
	return []suite.Scenario{fresh, idle, objects}
}
