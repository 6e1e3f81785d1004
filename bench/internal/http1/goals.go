package http1

import (
	"slices"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// goals are the goals of our servers. Most are ratios to another peer's figure.
var goals = slices.Concat(
	[]suite.Goal{
		suite.Ratio("native, 64 connections: CPU time", "plaintext-64", cpu, peer.Native, peer.FastHTTP, 0.85, 0.74),
		suite.Ratio("native, 512 connections: CPU time", "plaintext-512", cpu, peer.Native, peer.FastHTTP, 0.82, 0.72),
		suite.Ratio("native, 2,000 connections: CPU time", "plaintext-2000", cpu, peer.Native, peer.FastHTTP, 0.80, 0.65),
		suite.Ratio("native, 16 pipelined: CPU time", "pipelined", cpu, peer.Native, peer.FastHTTP, 0.64, 0.45),
		suite.Ratio("native, both cores: CPU time", "both-cores", cpu, peer.Native, peer.FastHTTP, 0.8, 0.72),
		suite.Ratio("the same net/http handler, 512 connections: CPU time", "plaintext-512", cpu, peer.NetHTTP, peer.Std, 0.58, 0.42),
		suite.Ratio("a net/http handler and fasthttp's own types", "plaintext-512", cpu, peer.NetHTTP, peer.FastHTTP, 1.35, 1.0),
		suite.Ratio("a handler that needs a deep stack: CPU time", "work", cpu, peer.NetHTTP, peer.Std, suite.NoFloor, 0.5),
		suite.Ratio("native over TLS, 512 connections: CPU time", "tls-512", cpu, peer.Native, peer.Std, 0.62, 0.5),
		suite.Ratio("nethttp over TLS, 512 connections: CPU time", "tls-512", cpu, peer.NetHTTP, peer.Std, 0.70, 0.55),
	},
	ratio(": TLS handshakes", "handshakes", perCore, 1.0, 1.1),
	[]suite.Goal{
		suite.Figure("native: allocations of a request", "allocations", allocs, "", peer.Native, 0, 0),
		suite.Figure("nethttp: allocations of a request", "allocations", allocs, "", peer.NetHTTP, 7.2, 5),
		suite.Figure("native: memory of an idle connection", "idle", rss, "B", peer.Native, 1420, 1100),
		suite.Figure("nethttp: memory of an idle connection", "idle", rss, "B", peer.NetHTTP, 1500, 1100),
	},
	ratio(": memory of an idle connection over TLS", "idle-tls", rss, 0.34, 0.2),
	[]suite.Goal{
		suite.Ratio("native, one request each 1.5 s: CPU time", "each-1.5s", cpu, peer.Native, peer.Std, 0.5, 0.4),
		suite.Ratio("nethttp, one request each 1.5 s: CPU time", "each-1.5s", cpu, peer.NetHTTP, peer.Std, 0.7, 0.5),
		suite.Ratio("native, one request each 15 s: CPU time", "each-15s", cpu, peer.Native, peer.Std, 0.8, 0.7),
		suite.Ratio("nethttp, one request each 15 s: CPU time", "each-15s", cpu, peer.NetHTTP, peer.Std, 0.9, 0.75),
	},
	figure(": others' p99 while a handler sleeps 100 ms", "neighbours", p99, "µs", 150, 60),
	[]suite.Goal{
		suite.Ratio("native, handlers sleep 5 ms: rate", "sleep-5ms", rate, peer.Native, peer.Std, 1.15, 1.25),
		suite.Ratio("nethttp, handlers sleep 5 ms: rate", "sleep-5ms", rate, peer.NetHTTP, peer.Std, 1.05, 1.2),
	},
	figure(": system calls of a request", "syscalls", syscalls, "", 2.05, 2.02),
	[]suite.Goal{
		suite.Figure("the load generator: CPU time, of wrk's", "generators", cpuOfWrk, "", peer.Native, suite.NoFloor, 1),
		suite.Figure("the load generator: rate, of wrk's", "generators", rateOfWrk, "", peer.Native, suite.NoFloor, 1),
	},
)

// ratio returns a goal for each of ours about the ratio to net/http's figure.
func ratio(title, scenario string, m suite.Metric, floor, goal float64) []suite.Goal {
	return suite.Ratio(title, scenario, m, "", peer.Std, floor, goal).Of(peer.Ours)
}

// figure returns a goal for each of ours about an absolute figure.
func figure(title, scenario string, m suite.Metric, unit string, floor, goal float64) []suite.Goal {
	return suite.Figure(title, scenario, m, unit, "", floor, goal).Of(peer.Ours)
}

// claims are for the beginning of the README.
var claims = []suite.Claim{
	{Text: "**net/http handlers, unchanged, at %s of net/http's CPU time**: one line of your program changes.",
		Scenario: "plaintext-512", Metric: cpu.Key, Peer: peer.NetHTTP, Against: peer.Std},
	{Text: "**Idle connections in %s of net/http's memory**: on Linux they hold neither a goroutine nor a buffer.",
		Scenario: "idle", Metric: rss.Key, Peer: peer.NetHTTP, Against: peer.Std},
}

// short is this suite's part of the summary. It shows losses as well as wins.
var short = []suite.Line{
	{Title: "HTTP/1.1: CPU time of a request, 512 connections", Scenario: "plaintext-512", Metric: cpu.Key, Peer: peer.NetHTTP, Against: peer.Std},
	{Scenario: "plaintext-512", Metric: cpu.Key, Peer: peer.NetHTTP, Against: peer.FastHTTP},
	{Scenario: "plaintext-512", Metric: cpu.Key, Peer: peer.Native, Against: peer.FastHTTP},
	{Title: "… over TLS 1.3", Scenario: "tls-512", Metric: cpu.Key, Peer: peer.NetHTTP, Against: peer.Std},
	{Title: "HTTP/1.1: memory of an idle connection", Scenario: "idle", Metric: rss.Key, Peer: peer.NetHTTP, Against: peer.Std},
	{Scenario: "idle", Metric: rss.Key, Peer: peer.Native, Against: peer.Nginx},
}
