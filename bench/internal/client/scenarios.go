// Package client is the suite that measures HTTP clients and reverse proxies: its scenarios and goals.
package client

import (
	"fmt"

	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Suite returns the suite.
func Suite() *suite.Suite {
	s := &suite.Suite{
		Name: "client", Title: "HTTP clients", Peers: clientpeer.All, Ours: clientpeer.Ours, Modules: clientpeer.Modules,
		Goals: goals, Short: short, Plot: "get-16",
	}
	for _, part := range [][]suite.Scenario{small(), other(), multiplexed(), {idle()}, proxied()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// The peers of the scenarios.
var (
	clients    = []string{clientpeer.Client, clientpeer.Transport, clientpeer.Std, clientpeer.FastHTTP, clientpeer.Resty}
	withHTTP2  = []string{clientpeer.Client, clientpeer.Transport, clientpeer.Std}
	withoutTwo = map[string]string{clientpeer.FastHTTP: "has no HTTP/2", clientpeer.Resty: "is net/http's client here too"}
	proxies    = []string{clientpeer.Transport, clientpeer.Std, clientpeer.Nginx}
	against    = []string{clientpeer.FastHTTP, clientpeer.Std}
)

// asks returns a scenario that measures clients.
func asks(name, title string, t traffic) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: title, Peers: clients, Against: against, Metrics: perRequest, Options: process.Options{Asks: true},
		Time: t.time, Check: t.check, Measure: t.measure,
	}
}

// small returns the scenarios with responses of 13 bytes.
func small() (all []suite.Scenario) {
	for _, n := range []int{1, 16, 256} {
		title := fmt.Sprintf("GET of 13 bytes, %d goroutines", n)
		if n == 1 {
			title = "GET of 13 bytes, 1 goroutine"
		}
		all = append(all, asks(fmt.Sprintf("get-%d", n), title, traffic{task: clientpeer.Text, at: n}))
	}
	all[0].About = "Each goroutine sends a request, reads the body, compares it, and sends the next request. All goroutines share one " +
		"client. CPU time and allocations are those of the client's process; the server is ours, on the other core."
	return all
}

// other returns the scenarios with other kinds of requests, by 16 goroutines.
func other() []suite.Scenario {
	fields := asks("fields", "GET of 13 bytes, eight fields of the head read, 16 goroutines", traffic{task: clientpeer.Fields, at: 16})
	json := asks("json", "GET of 1 KiB of JSON, decoded, 16 goroutines", traffic{task: clientpeer.JSON, at: 16})
	json.About = "Decoded by encoding/json, which takes most of the time: from the body's bytes or from its reader, whichever is usual " +
		"with a client."
	post := asks("post", "POST of 1 KiB, 16 goroutines", traffic{task: clientpeer.Post, at: 16})
	secure := asks("tls", "GET of 13 bytes over TLS 1.3, 16 goroutines", traffic{task: clientpeer.Text, at: 16, tls: true})
	return []suite.Scenario{fields, json, post, secure}
}

// multiplexed returns the scenario over HTTP/2.
func multiplexed() []suite.Scenario {
	h2 := asks("http2", "GET of 13 bytes over HTTP/2 without TLS, 100 at once", traffic{task: clientpeer.Text, at: 100, http2: true})
	h2.Peers, h2.Cannot, h2.Against = withHTTP2, withoutTwo, []string{clientpeer.Std}
	h2.About = "All requests are on one connection. net/http's HTTP/2 is the copy of golang.org/x/net that it is built with."
	return []suite.Scenario{h2}
}

func idle() suite.Scenario {
	check := traffic{task: clientpeer.Text, at: 16}.check
	return suite.Scenario{
		Name: "idle", Title: "10,000 idle connections", Peers: clients, Against: []string{clientpeer.Std}, Options: process.Options{Asks: true},
		Metrics: []suite.Metric{rss, heap, goroutines}, Rounds: 3, Together: true,
		About: "Resident memory that each connection adds to the client after one request and an idle time of 12 times the duration " +
			"of a measurement, after debug.FreeOSMemory. All connections are used once more at the end, at the same time. The " +
			"kernel's memory for the sockets is not included.",
		Missing: manyFiles, Time: idleTime, Check: check, Measure: measureIdle,
	}
}

// proxied returns the scenarios with reverse proxies.
func proxied() []suite.Scenario {
	plain := passed("proxy", "reverse proxy, 1 KiB of JSON, 64 connections", passing{})
	plain.About = "httputil.ReverseProxy, on nethttp with our Transport, or on net/http with its own transport; nginx has proxy_pass and " +
		"persistent connections. CPU time is that of the proxy; the load generator and the backend share the other core. By " +
		"default ReverseProxy allocates 32 KiB for each response."
	pooled := passed("proxy-pooled", "reverse proxy with a pool of buffers, 1 KiB of JSON, 64 connections", passing{pool: true})
	pooled.About = "ReverseProxy.BufferPool is set on both servers. nginx is as above."
	return []suite.Scenario{plain, pooled}
}

func passed(name, title string, pass passing) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: title, Peers: proxies, Against: []string{clientpeer.Std, clientpeer.Nginx},
		Cannot: map[string]string{clientpeer.Client: "has types of its own", clientpeer.FastHTTP: "has no such proxy of its own",
			clientpeer.Resty: "is for programs that ask"},
		Options: process.Options{Asks: true}, Metrics: passedOn, Time: pass.time, Check: pass.check, Measure: pass.measure,
	}
}
