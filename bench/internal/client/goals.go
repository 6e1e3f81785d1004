package client

import (
	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// goals are the goals of our clients. Most are ratios to another peer's figure.
var goals = []suite.Goal{
	suite.Ratio("client, 16 goroutines: CPU time", "get-16", cpu, clientpeer.Client, clientpeer.FastHTTP, 1, 0.75),
	suite.Figure("client: allocations of a request", "get-16", allocs, "", clientpeer.Client, 2, 0),
	suite.Ratio("client, HTTP/2, 100 at once: CPU time", "http2", cpu, clientpeer.Client, clientpeer.Std, 0.6, 0.3),
	suite.Figure("client, HTTP/2: allocations of a request", "http2", allocs, "", clientpeer.Client, suite.NoFloor, 8),
	suite.Ratio("transport, HTTP/2, 100 at once: CPU time", "http2", cpu, clientpeer.Transport, clientpeer.Std, suite.NoFloor, 0.6),
	suite.Figure("client: memory of an idle connection", "idle", rss, "B", clientpeer.Client, 3000, 1500),
	suite.Figure("transport: memory of an idle connection", "idle", rss, "B", clientpeer.Transport, 3000, 1500),
	suite.Ratio("reverse proxy on nethttp and our transport: CPU time", "proxy", cpu, clientpeer.Transport, clientpeer.Std, 0.6, 0.45),
	suite.Ratio("… and nginx's", "proxy", cpu, clientpeer.Transport, clientpeer.Nginx, suite.NoFloor, 2),
	suite.Ratio("reverse proxy with a pool of buffers: CPU time", "proxy-pooled", cpu, clientpeer.Transport, clientpeer.Std, 0.6, 0.45),
	suite.Ratio("… and nginx's, with a pool of buffers", "proxy-pooled", cpu, clientpeer.Transport, clientpeer.Nginx, suite.NoFloor, 2),
}

// short is this suite's part of the summary. It shows losses as well as wins.
var short = []suite.Line{
	{Title: "HTTP client: CPU time of a request, 16 goroutines", Scenario: "get-16", Metric: cpu.Key, Peer: clientpeer.Client, Against: clientpeer.FastHTTP},
	{Scenario: "get-16", Metric: cpu.Key, Peer: clientpeer.Transport, Against: clientpeer.Std},
	{Title: "HTTP client: memory of an idle connection", Scenario: "idle", Metric: rss.Key, Peer: clientpeer.Client, Against: clientpeer.FastHTTP},
	{Title: "Reverse proxy: CPU time of a request", Scenario: "proxy", Metric: cpu.Key, Peer: clientpeer.Transport, Against: clientpeer.Std},
	{Scenario: "proxy", Metric: cpu.Key, Peer: clientpeer.Transport, Against: clientpeer.Nginx},
}
