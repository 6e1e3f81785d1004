// Package websocket is the suite that measures WebSocket servers: its scenarios and goals.
package websocket

import (
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// Suite returns the suite.
func Suite() *suite.Suite {
	s := &suite.Suite{
		Name: "websocket", Title: "WebSocket servers", Peers: wspeer.All, Ours: wspeer.Ours, Modules: wspeer.Modules,
		Goals: goals, Claims: claims, Short: short, Plot: "echo-64-100",
	}
	for _, part := range [][]suite.Scenario{echoes(), {broadcast(), deflate()}, idle(), inMemory()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// against are the peers that the others are compared with: the fastest, and the most widely used.
var against = []string{wspeer.GWS, wspeer.Gorilla}

// noDeflate are the reasons why peers do not take part in scenarios with compression.
var noDeflate = map[string]string{wspeer.Gobwas: "leaves the compressor to its user"}

// compressing are the peers of scenarios with compression.
var compressing = []string{wspeer.Blocking, wspeer.Callbacks, wspeer.Gorilla, wspeer.Coder, wspeer.GWS}

// echoes returns the scenarios with echoes, as fast as possible.
func echoes() (all []suite.Scenario) {
	for _, size := range []struct {
		bytes       int
		name, title string
	}{{64, "64", "64 bytes"}, {1 << 10, "1k", "1 KiB"}, {16 << 10, "16k", "16 KiB"}} {
		for _, conns := range []int{100, 1000} {
			title := fmt.Sprintf("echo of %s, %s connections", size.title, suite.Number(float64(conns)))
			all = append(all, echoing(fmt.Sprintf("echo-%s-%d", size.name, conns), title, traffic{size: size.bytes, conns: conns}))
		}
	}
	batched := echoing("in-flight", "echo of 64 bytes, 100 connections, 16 messages in flight on each",
		traffic{size: 64, conns: 100, inFlight: 16})
	all[0].About = "The messages are text. Ours check that it is valid UTF-8; by default the others do not."
	batched.About = "If one read from the socket brings several messages, ours send all the replies in one write."
	return append(all, batched)
}

// echoing returns a scenario that runs shockwave bench.
func echoing(name, title string, t traffic) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: title, Peers: wspeer.All, Against: against, Metrics: perMessage,
		Time: t.time, Check: t.check, Measure: t.measure,
	}
}

func broadcast() suite.Scenario {
	return suite.Scenario{
		Name: "broadcast", Title: "broadcast of 1 KiB to 5,000 connections", Peers: wspeer.All, Against: against,
		Metrics: []suite.Metric{delivery, user, system, deliveries, toAll},
		About: "One connection sends a message and all receive it. The next message is sent when every connection has received " +
			"the previous one, whose every byte is compared. All but coder and gobwas use prepared messages or their equivalent. " +
			"With gobwas, one frame is built and written to every connection.",
		Missing: func() error { return hold.ManyFiles(broadcastConns) },
		Check:   checkBroadcast, Measure: measureBroadcast,
		Time: func(d time.Duration) time.Duration { return d + warmup(d) + 2*time.Second },
	}
}

func deflate() suite.Scenario {
	return suite.Scenario{
		Name: "deflate", Title: "echo of 1 KiB of JSON with permessage-deflate, 100 connections", Peers: compressing,
		Cannot: noDeflate, Against: against, Metrics: []suite.Metric{cpu, user, system, rate},
		About: "No context takeover in either direction. The load generator compresses its message once, and decompresses an echo " +
			"only if it differs from the previous one.",
		Check: checkDeflate, Measure: measureDeflate,
		Time: func(d time.Duration) time.Duration { return d + warmup(d) + time.Second },
	}
}

// idle returns the scenarios with idle connections.
func idle() []suite.Scenario {
	plain := suite.Scenario{
		Name: "idle", Title: "10,000 idle connections", Peers: wspeer.All, Against: against,
		Metrics: []suite.Metric{rss, heap, goroutines}, Rounds: 3, Together: true,
		About: "Resident memory that each connection adds after an echo of 64 bytes and an idle time of 12 times the duration of " +
			"a measurement, after debug.FreeOSMemory. All connections echo once more at the end. The kernel's memory for the " +
			"sockets is not included.",
		Missing: func() error { return hold.ManyFiles(idleConns) },
		Check:   checkEcho, Measure: held{wspeer.PathEcho, idleConns}.measure, Time: idleTime,
	}
	deflated := plain
	deflated.Name, deflated.Title = "idle-deflate", "2,000 idle connections with permessage-deflate"
	deflated.Peers, deflated.Cannot = compressing, noDeflate
	deflated.About = "The same after a compressed echo of 1 KiB."
	deflated.Check, deflated.Measure = checkDeflate, held{wspeer.PathDeflate, deflateConns}.measure
	return []suite.Scenario{plain, deflated}
}
