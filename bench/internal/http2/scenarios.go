// Package http2 is the suite that measures HTTP/2 servers: its scenarios and goals.
package http2

import (
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/h2load"
	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Suite returns the suite.
func Suite() *suite.Suite {
	s := &suite.Suite{
		Name: "http2", Title: "HTTP/2 servers", Peers: h2peer.All, Ours: h2peer.Ours, Goals: goals, Short: short, Plot: "get-1x100",
		Modules: map[string]string{"google.golang.org/grpc": h2peer.GRPC},
	}
	for _, part := range [][]suite.Scenario{small(), bodies(), secure(), calls(), shared(), counted()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// The peers of the scenarios.
var (
	inGo    = []string{h2peer.Native, h2peer.NetHTTP, h2peer.Std}
	serving = []string{h2peer.Native, h2peer.NetHTTP, h2peer.Std, h2peer.Nghttpd, h2peer.Nginx, h2peer.H2O}
	calling = []string{h2peer.NetHTTP, h2peer.Std, h2peer.GRPC}
	against = []string{h2peer.Std, h2peer.H2O} // the peers that CPU time is compared with
	beside  = []string{h2peer.Std}
)

// Reasons why other peers do not take part.
var (
	noPages    = map[string]string{h2peer.GRPC: "answers calls only"}
	noHandlers = map[string]string{h2peer.GRPC: "answers calls only", h2peer.Nghttpd: "has no handlers",
		h2peer.Nginx: "has no handlers", h2peer.H2O: "has no handlers"}
	noCalls = map[string]string{h2peer.Native: "has no handler for net/http's types", h2peer.Nghttpd: "has no handlers",
		h2peer.Nginx: "has no handlers", h2peer.H2O: "has no handlers"}
)

// loaded returns a scenario that runs h2load. CPU time per request is its most important figure.
func loaded(name, title string, t traffic) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: title, Peers: serving, Cannot: noPages, Against: against, Metrics: perRequest,
		Options: process.Options{HTTP2: true}, Missing: h2load.Missing, Time: t.time, Check: t.check, Measure: t.measure,
	}
}

// handled is loaded for scenarios that need a handler.
func handled(name, title string, t traffic) suite.Scenario {
	sc := loaded(name, title, t)
	sc.Peers, sc.Cannot, sc.Against = inGo, noHandlers, beside
	return sc
}

// small returns the scenarios with small responses, in cleartext with prior knowledge.
func small() []suite.Scenario {
	return []suite.Scenario{
		loaded("get-1x1", "13 bytes, 1 connection, 1 request at once", traffic{path: peer.PathText, conns: 1, streams: 1}),
		loaded("get-1x100", "13 bytes, 1 connection, 100 requests at once", traffic{path: peer.PathText, conns: 1, streams: 100}),
		loaded("get-100x10", "13 bytes, 100 connections, 10 requests at once on each", traffic{path: peer.PathText, conns: 100, streams: 10}),
	}
}

// bodies returns the scenarios with large responses and with request bodies.
func bodies() []suite.Scenario {
	large := loaded("get-1m", "1 MiB, 1 connection, 10 requests at once", traffic{path: peer.Path1M, conns: 1, streams: 10})
	large.About = "nghttpd, nginx and h2o read files, the others have the bytes in memory. h2load's receive windows are 1 GiB."
	return []suite.Scenario{
		loaded("get-16k", "16 KiB, 10 connections, 10 requests at once on each", traffic{path: peer.Path16K, conns: 10, streams: 10}),
		large,
		handled("post-1k", "POST of 1 KiB, 1 connection, 100 requests at once", traffic{path: peer.PathPost, body: 1 << 10, conns: 1, streams: 100}),
		handled("post-1m", "POST of 1 MiB, 1 connection, 10 requests at once", traffic{path: peer.PathPost, body: 1 << 20, conns: 1, streams: 10}),
	}
}

// secure returns the scenarios over TLS 1.3.
func secure() []suite.Scenario {
	all := []suite.Scenario{
		loaded("tls-1x100", "13 bytes over TLS 1.3, 1 connection, 100 requests at once", traffic{path: peer.PathText, conns: 1, streams: 100}),
		loaded("tls-1m", "1 MiB over TLS 1.3, 1 connection, 10 requests at once", traffic{path: peer.Path1M, conns: 1, streams: 10}),
	}
	for i := range all {
		all[i].Options.TLS = true
	}
	return all
}

// calls returns the scenario with gRPC.
func calls() []suite.Scenario {
	return []suite.Scenario{{
		Name: "grpc", Title: "unary calls of gRPC, 1 connection, 100 at once", Peers: calling, Cannot: noCalls,
		About: "grpc-go's server as an http.Handler (ServeHTTP) on nethttp and on net/http, and on its own transport. A message " +
			"of 13 bytes each way.",
		Against: []string{h2peer.Std, h2peer.GRPC}, Metrics: perRequest, Options: process.Options{HTTP2: true},
		Missing: h2load.Missing, Check: checkCalls, Measure: measureCalls,
		Time: func(d time.Duration) time.Duration { return d + 700*time.Millisecond },
	}}
}

// counted returns the scenarios that count memory and allocations.
func counted() []suite.Scenario {
	text := traffic{path: peer.PathText}
	idle := suite.Scenario{
		Name: "idle", Title: "10,000 idle connections of HTTP/2", Peers: serving, Cannot: noPages, Against: against,
		Metrics: []suite.Metric{rss, heap, goroutines}, Rounds: 3, Together: true, Options: process.Options{HTTP2: true},
		About: "Resident memory that each connection adds after one request and an idle time of 24 times the duration of a " +
			"measurement, after debug.FreeOSMemory. All connections answer once more at the end. The kernel's memory for the " +
			"sockets is not included.",
		Missing: manyFiles, Time: idleTime, Check: text.check, Measure: measureIdle,
	}
	return []suite.Scenario{idle, {
		Name: "allocations", Title: "allocations, 1 connection, 100 requests at once", Peers: inGo, Cannot: noHandlers,
		Against: beside, Metrics: []suite.Metric{allocs}, Rounds: 3, Options: process.Options{HTTP2: true},
		About: "Objects that the whole process allocates (runtime.MemStats.Mallocs) during 50,000 requests on one connection, " +
			"per request.",
		Missing: h2load.Missing, Check: text.check, Measure: measureAllocs,
		Time: func(time.Duration) time.Duration { return 3 * time.Second },
	}}
}
