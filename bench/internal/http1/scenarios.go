// Package http1 is the suite that measures HTTP/1.1 servers: its scenarios and goals.
package http1

import (
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Suite returns the suite.
func Suite() *suite.Suite {
	s := &suite.Suite{
		Name: "http1", Title: "HTTP/1.1 servers", Peers: peer.All, Ours: peer.Ours, Goals: goals, Claims: claims, Short: short, Plot: "plaintext-512",
		Modules: map[string]string{"github.com/valyala/fasthttp": peer.FastHTTP},
	}
	for _, part := range [][]suite.Scenario{persistent(), bodies(), shared(), secure(), rare(), counted(), generators()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

var (
	inGo     = []string{peer.Native, peer.NetHTTP, peer.Std, peer.FastHTTP}
	cpuPeers = []string{peer.FastHTTP, peer.Std} // the peers that CPU time is compared with
)

// Reasons why nginx does not take part in a scenario.
var (
	noBodies   = map[string]string{peer.Nginx: "has no handler that reads a body"}
	noWork     = map[string]string{peer.Nginx: "has no handler that could read JSON"}
	noHandlers = map[string]string{peer.Nginx: "has no handler that could sleep"}
	oneProcess = map[string]string{peer.Nginx: "is measured as one process, which uses one core"}
	notSecure  = map[string]string{peer.Nginx: "is measured without TLS"}
	notInGo    = map[string]string{peer.Nginx: "is not a Go program"}
)

// loaded returns a scenario that runs the load generator. CPU time per request is its most important figure.
func loaded(name, title string, t traffic) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: title, Peers: peer.All, Against: cpuPeers, Metrics: perRequest,
		Options: process.Options{Cores: t.cores}, Time: t.time, Check: t.check, Measure: t.measure,
	}
}

// textTraffic requests the greeting, as fast as responses come.
func textTraffic(conns int) traffic { return traffic{path: peer.PathText, conns: conns} }

// browserTraffic is textTraffic with the fields that a browser sends.
func browserTraffic(conns int) traffic {
	t := textTraffic(conns)
	t.fields = []string{
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"Accept-Language: en-US,en;q=0.5",
		"Accept-Encoding: gzip, deflate, br, zstd",
		"Referer: http://127.0.0.1/a/page/that/was/read/before",
		"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark",
		"Sec-Fetch-Mode: navigate",
		"Cache-Control: max-age=0",
	}
	return t
}

// persistent returns the scenarios with persistent connections and small responses.
func persistent() []suite.Scenario {
	pipelined := textTraffic(64)
	pipelined.pipeline = 16
	work := loaded("work", "a handler that reads and writes JSON, 512 connections", traffic{path: peer.PathWork, conns: 512})
	work.Peers, work.Cannot = inGo, noWork
	work.About = "The handler needs some KiB of stack. The handlers of the other scenarios need almost none."
	return []suite.Scenario{
		loaded("plaintext-1", "13 bytes, 1 connection", textTraffic(1)),
		loaded("plaintext-64", "13 bytes, 64 connections", textTraffic(64)),
		loaded("plaintext-512", "13 bytes, 512 connections", textTraffic(512)),
		loaded("plaintext-2000", "13 bytes, 2,000 connections", textTraffic(2000)),
		loaded("pipelined", "13 bytes, 64 connections, 16 requests in flight on each", pipelined),
		loaded("browser", "13 bytes, 512 connections, eight fields in each request", browserTraffic(512)),
		loaded("json", "1 KiB of JSON, 512 connections", traffic{path: peer.PathJSON, conns: 512}),
		work,
	}
}

// bodies returns the scenarios with large responses and with request bodies.
func bodies() []suite.Scenario {
	post1K := loaded("post-1k", "POST of 1 KiB, 512 connections", traffic{path: peer.PathPost, body: 1 << 10, conns: 512})
	post1M := loaded("post-1m", "POST of 1 MiB, 64 connections", traffic{path: peer.PathPost, body: 1 << 20, conns: 64})
	post1M.About = "fasthttp reads the whole body into memory before it calls the handler. The other handlers read it as it arrives."
	for _, sc := range []*suite.Scenario{&post1K, &post1M} {
		sc.Peers, sc.Cannot = inGo, noBodies
	}
	large := loaded("get-1m", "1 MiB, 64 connections", traffic{path: peer.Path1M, conns: 64})
	large.About = "nginx sends a file with sendfile, the others send bytes from memory."
	return []suite.Scenario{
		loaded("get-64k", "64 KiB, 64 connections", traffic{path: peer.Path64K, conns: 64}),
		large, post1K, post1M,
	}
}

// shared returns the scenarios in which server and load share both cores.
func shared() []suite.Scenario {
	both := textTraffic(512)
	both.cores = process.Both
	cores := loaded("both-cores", "13 bytes, 512 connections, both cores", both)
	cores.Peers, cores.Cannot = inGo, oneProcess
	cores.About = "Server and load share both cores, GOMAXPROCS=2."

	naps := loaded("sleep-5ms", "1,000 connections, every handler sleeps 5 ms",
		traffic{path: "/sleep?ms=5", conns: 1000, cores: process.Both})
	naps.Peers, naps.Cannot, naps.Against = inGo, noHandlers, []string{peer.Std, peer.FastHTTP}
	naps.Metrics = []suite.Metric{rate, cpu, user, system, p50, p99}
	naps.About = "Server and load share both cores, GOMAXPROCS=2."

	nap := loaded("neighbours", "63 connections beside one whose handler sleeps 100 ms", neighbours)
	nap.Peers, nap.Cannot, nap.Against = inGo, noHandlers, []string{peer.FastHTTP, peer.Std}
	nap.Metrics = []suite.Metric{p99, p50, cpu, rate}
	nap.About = "5,000 requests a second on the 63 connections, evenly spaced. The figures are those of the 63. Server and load " +
		"share both cores, GOMAXPROCS=2."
	nap.Time, nap.Measure = neighboursTime, measureNeighbours
	return []suite.Scenario{cores, naps, nap}
}

// secure returns the scenarios over TLS 1.3, with persistent and with new connections.
func secure() []suite.Scenario {
	keptTLS := loaded("tls-512", "13 bytes over TLS 1.3, 512 connections", textTraffic(512))
	fresh := loaded("handshakes", "TLS 1.3, each request on a new connection",
		traffic{path: peer.PathClose, conns: 32})
	fresh.Metrics = []suite.Metric{perCore, cpu, user, system, rate, p50, p99}
	fresh.Measure = measureHandshakes
	fresh.About = "Full handshakes; no session is resumed. CPU time is that of a handshake, a request and the end of the " +
		"connection. Handshakes per second of CPU time are computed from it; the rate is what the load generator reached."
	for _, sc := range []*suite.Scenario{&keptTLS, &fresh} {
		sc.Peers, sc.Cannot, sc.Against = inGo, notSecure, []string{peer.Std, peer.FastHTTP}
		sc.Options.TLS = true
	}
	return []suite.Scenario{keptTLS, fresh}
}

// rare returns the scenarios with many connections that seldom send a request.
func rare() []suite.Scenario {
	often := loaded("each-1.5s", "10,000 connections, one request each 1.5 s",
		traffic{path: peer.PathText, conns: 10_000, rate: 10_000 / 1.5, warm: 1, count: 2})
	seldom := loaded("each-15s", "10,000 connections, one request each 15 s",
		traffic{path: peer.PathText, conns: 10_000, rate: 10_000 / 15.0, warm: 6, count: 15})
	seldom.Rounds = 3
	for _, sc := range []*suite.Scenario{&often, &seldom} {
		sc.Peers, sc.Against = []string{peer.Native, peer.NetHTTP, peer.Std}, []string{peer.Std}
		sc.Missing = manyFiles
		sc.About = "The requests are evenly spaced. The warm-up is longer than the time between two requests of a connection."
	}
	return []suite.Scenario{often, seldom}
}
