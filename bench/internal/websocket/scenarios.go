// Package websocket is the suite that measures WebSocket servers: its scenarios, and what our figures should reach.
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
		Goals: goals, Claims: claims, Short: short,
	}
	for _, part := range [][]suite.Scenario{echoes(), {broadcast(), deflate()}, idle(), inMemory()} {
		s.Scenarios = append(s.Scenarios, part...)
	}
	return s
}

// against are those that others are compared with: the fastest of the field, and the one that most programs use.
var against = []string{wspeer.GWS, wspeer.Gorilla}

// noDeflate is who takes no part where messages are compressed.
var noDeflate = map[string]string{wspeer.Gobwas: "leaves the compressor to its user"}

// compressing are the others.
var compressing = []string{wspeer.Blocking, wspeer.Callbacks, wspeer.Gorilla, wspeer.Coder, wspeer.GWS}

// echoes are messages that come back, as fast as they do.
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
	all[0].About = "Text. Ours check that it is UTF-8; the others do not, by default."
	batched.About = "Ours send all replies to what one receive brought in one write."
	return append(all, batched)
}

// echoing is a scenario in which shockwave bench counts.
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
		About: "One connection says it and all get it back; the next message follows when every connection has received " +
			"the one before, whose every byte is compared. All but coder and gobwas have prepared messages or the like; a " +
			"frame of gobwas is written as it is.",
		Missing: func() error { return hold.ManyFiles(audience) },
		Check:   checkBroadcast, Measure: measureBroadcast,
		Time: func(d time.Duration) time.Duration { return d + warmup(d) + 2*time.Second },
	}
}

func deflate() suite.Scenario {
	return suite.Scenario{
		Name: "deflate", Title: "echo of 1 KiB of JSON with permessage-deflate, 100 connections", Peers: compressing,
		Cannot: noDeflate, Against: against, Metrics: []suite.Metric{cpu, user, system, rate},
		About: "No context takeover in either direction. The generator compresses once and decompresses what differs from " +
			"what came before.",
		Check: checkDeflate, Measure: measureDeflate,
		Time: func(d time.Duration) time.Duration { return d + warmup(d) + time.Second },
	}
}

// idle are connections that are held.
func idle() []suite.Scenario {
	plain := suite.Scenario{
		Name: "idle", Title: "10,000 idle connections", Peers: wspeer.All, Against: against,
		Metrics: []suite.Metric{rss, heap, goroutines}, Rounds: 3, Together: true,
		About: "Resident memory that each adds after an echo of 64 bytes and a silence of 12 measurements' durations, after " +
			"debug.FreeOSMemory. All echo once more at the end. Memory of the kernel's sockets is not in it.",
		Missing: func() error { return hold.ManyFiles(idleConns) },
		Check:   checkEcho, Measure: held{wspeer.PathEcho, idleConns}.measure, Time: idleTime,
	}
	deflated := plain
	deflated.Name, deflated.Title = "idle-deflate", "2,000 idle connections with permessage-deflate"
	deflated.Peers, deflated.Cannot = compressing, noDeflate
	deflated.About = "The same after an echo of 1 KiB that was compressed."
	deflated.Check, deflated.Measure = checkDeflate, held{wspeer.PathDeflate, deflateConns}.measure
	return []suite.Scenario{plain, deflated}
}
