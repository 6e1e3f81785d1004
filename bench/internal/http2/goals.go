package http2

import (
	"slices"

	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// goals are the goals of our servers. Most are ratios to another peer's figure.
var goals = slices.Concat(
	[]suite.Goal{
		suite.Ratio("native, 1 connection, 100 at once: CPU time", "get-1x100", cpu, h2peer.Native, h2peer.Std, 0.08, 0.035),
		suite.Ratio("… and h2o's", "get-1x100", cpu, h2peer.Native, h2peer.H2O, suite.NoFloor, 1),
		suite.Ratio("a net/http handler, 1 connection, 100 at once: CPU time", "get-1x100", cpu, h2peer.NetHTTP, h2peer.Std, 0.25, 0.09),
		suite.Figure("native: allocations of a request", "allocations", allocs, "", h2peer.Native, 2, 0),
		suite.Figure("nethttp: allocations of a request", "allocations", allocs, "", h2peer.NetHTTP, suite.NoFloor, 6),
		suite.Ratio("unary calls of gRPC by ServeHTTP: CPU time", "grpc", cpu, h2peer.NetHTTP, h2peer.Std, 0.6, 0.3),
		suite.Ratio("… and grpc-go's own transport", "grpc", cpu, h2peer.NetHTTP, h2peer.GRPC, suite.NoFloor, 1),
		suite.Ratio("native over TLS, 1 connection, 100 at once: CPU time", "tls-1x100", cpu, h2peer.Native, h2peer.Std, 0.1, 0.1),
		suite.Ratio("… and h2o's", "tls-1x100", cpu, h2peer.Native, h2peer.H2O, suite.NoFloor, 1),
		suite.Ratio("native, 1 MiB over TLS: CPU time", "tls-1m", cpu, h2peer.Native, h2peer.Std, 0.75, 0.75),
		suite.Ratio("… and h2o's", "tls-1m", cpu, h2peer.Native, h2peer.H2O, suite.NoFloor, 1),
	},
	suite.Figure(": memory of an idle connection", "idle", rss, "B", "", 2500, 1600).Of(h2peer.Ours),
	ratio(": p99 beside a handler that sleeps, on one connection", "neighbours", 1, 0.5),
	ratio(": p99 of HTTP/1.1 and HTTP/2 on one port, beside handlers that sleep", "mixed", 1, 0.5),
)

// ratio returns a goal for each of ours about the ratio of the p99 to net/http's.
func ratio(title, scenario string, floor, goal float64) []suite.Goal {
	return suite.Ratio(title, scenario, p99, "", h2peer.Std, floor, goal).Of(h2peer.Ours)
}

// short is this suite's part of the summary. It shows losses as well as wins.
var short = []suite.Line{
	{Title: "HTTP/2: CPU time of a request, 1 connection, 100 at once", Scenario: "get-1x100", Metric: cpu.Key, Peer: h2peer.NetHTTP, Against: h2peer.Std},
	{Scenario: "get-1x100", Metric: cpu.Key, Peer: h2peer.Native, Against: h2peer.H2O},
	{Title: "HTTP/2: a unary call of gRPC by ServeHTTP", Scenario: "grpc", Metric: cpu.Key, Peer: h2peer.NetHTTP, Against: h2peer.GRPC},
	{Title: "HTTP/2: memory of an idle connection", Scenario: "idle", Metric: rss.Key, Peer: h2peer.NetHTTP, Against: h2peer.Std},
}
