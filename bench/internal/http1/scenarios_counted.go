package http1

import (
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// counted returns the scenarios that count memory, system calls and allocations.
func counted() []suite.Scenario {
	text, browser := textTraffic(1), browserTraffic(1)
	idle := suite.Scenario{
		Name: "idle", Title: "10,000 idle connections", Peers: peer.All, Against: cpuPeers,
		Metrics: []suite.Metric{rss, heap, goroutines}, Rounds: 3, Together: true,
		About: "Resident memory that each connection adds after one request and an idle time of 24 times the duration of a " +
			"measurement, after debug.FreeOSMemory. All connections answer once more at the end. The kernel's memory for the " +
			"sockets is not included.",
		Missing: manyFiles, Time: idleTime, Check: text.check, Measure: measureIdle,
	}
	idleTLS := idle
	idleTLS.Name, idleTLS.Title = "idle-tls", "10,000 idle connections over TLS 1.3"
	idleTLS.Peers, idleTLS.Cannot, idleTLS.Against = inGo, notSecure, []string{peer.Std, peer.FastHTTP}
	idleTLS.Options.TLS = true
	return []suite.Scenario{idle, idleTLS, {
		Name: "syscalls", Title: "system calls, 64 connections", Peers: peer.All, Against: cpuPeers,
		Metrics: []suite.Metric{syscalls, receiving, sending, waiting, others}, Rounds: 3,
		About: "The connections are open and warm before strace attaches, and it detaches after the last response. It slows a " +
			"server down, so the counts are those of a busy server.",
		Missing: haveStrace, Check: text.check, Measure: measureSyscalls,
		Time: func(d time.Duration) time.Duration { return d + time.Second },
	}, {
		Name: "allocations", Title: "allocations, eight fields in, two Header().Set out", Peers: inGo, Cannot: notInGo,
		Against: []string{peer.Std}, Metrics: []suite.Metric{allocs}, Rounds: 3,
		About: "Objects that the whole process allocates (runtime.MemStats.Mallocs) during 20,000 requests on one connection, " +
			"per request. Fractions come from memory that several requests share: nethttp cuts the text of heads from pieces of " +
			"4 KiB, and a head of this size takes an eighth of one.",
		Check: browser.check, Measure: measureAllocs,
		Time: func(time.Duration) time.Duration { return 3 * time.Second },
	}}
}
