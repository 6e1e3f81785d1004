package http1

import (
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// counted are scenarios with something else than time to count.
func counted() []suite.Scenario {
	text, browser := textTraffic(1), browserTraffic(1)
	idle := suite.Scenario{
		Name: "idle", Title: "10,000 idle connections", Peers: peer.All, Against: cpuPeers,
		Metrics: []suite.Metric{rss, heap, goroutines}, Rounds: 3, Together: true,
		About: "Resident memory that each adds after one request and a silence of 24 measurements' durations, after " +
			"debug.FreeOSMemory. All answer once more at the end. Memory of the kernel's sockets is not in it.",
		Missing: manyFiles, Time: idleTime, Check: text.check, Measure: measureIdle,
	}
	idleTLS := idle
	idleTLS.Name, idleTLS.Title = "idle-tls", "10,000 idle connections over TLS 1.3"
	idleTLS.Peers, idleTLS.Cannot, idleTLS.Against = inGo, notSecure, []string{peer.Std, peer.FastHTTP}
	idleTLS.Options.TLS = true
	return []suite.Scenario{idle, idleTLS, {
		Name: "syscalls", Title: "system calls, 64 connections", Peers: peer.All, Against: cpuPeers,
		Metrics: []suite.Metric{syscalls, receiving, sending, waiting, others}, Rounds: 3,
		About: "Of open connections; strace comes after they are warm and goes after the last answer. It slows a server " +
			"down, so the counts are those of a busy one.",
		Missing: haveStrace, Check: text.check, Measure: measureSyscalls,
		Time: func(d time.Duration) time.Duration { return d + time.Second },
	}, {
		Name: "allocations", Title: "allocations, eight fields in, two Header().Set out", Peers: inGo, Cannot: notInGo,
		Against: []string{peer.Std}, Metrics: []suite.Metric{allocs}, Rounds: 3,
		About: "Objects that the whole process allocates (runtime.MemStats.Mallocs) over 20,000 requests on one connection, " +
			"divided by these. A fraction is of what several requests share: nethttp cuts the text of heads from pieces of " +
			"4 KiB, and a head of this size takes an eighth of one.",
		Check: browser.check, Measure: measureAllocs,
		Time: func(time.Duration) time.Duration { return 3 * time.Second },
	}}
}
