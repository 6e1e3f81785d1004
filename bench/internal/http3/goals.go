package http3

import (
	"slices"

	"github.com/shockwave-go/shockwave/bench/internal/h3peer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// goals are the goals of our servers. Most are ratios to the figure of quic-go's server. The QUIC is the same in all, and is most
// of a request's cost, so the ratios are closer to 1 than those of other suites.
var goals = slices.Concat(
	[]suite.Goal{
		suite.Ratio("native, 1 connection, 100 at once: CPU time", "get-1x100", cpu, h3peer.Native, h3peer.QuicGo, 0.6, 0.5),
		suite.Ratio("a net/http handler, 1 connection, 100 at once: CPU time", "get-1x100", cpu, h3peer.NetHTTP, h3peer.QuicGo, 0.8, 0.6),
		suite.Figure("native: allocations of a request", "allocations", allocs, "", h3peer.Native, 31, 31),
		suite.Figure("nethttp: allocations of a request", "allocations", allocs, "", h3peer.NetHTTP, 36, 36),
	},
	suite.Ratio(": memory of an idle connection", "idle", rss, "", h3peer.QuicGo, 1, 1).Of(h3peer.Ours),
)

// short is this suite's part of the summary. It shows losses as well as wins.
var short = []suite.Line{
	{Title: "HTTP/3: CPU time of a request, 1 connection, 100 at once", Scenario: "get-1x100", Metric: cpu.Key, Peer: h3peer.NetHTTP, Against: h3peer.QuicGo},
	{Scenario: "get-1x100", Metric: cpu.Key, Peer: h3peer.Native, Against: h3peer.QuicGo},
	{Title: "HTTP/3: memory of an idle connection", Scenario: "idle", Metric: rss.Key, Peer: h3peer.NetHTTP, Against: h3peer.QuicGo},
}
