package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/channels"
	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/http1"
	"github.com/shockwave-go/shockwave/bench/internal/http2"
	"github.com/shockwave-go/shockwave/bench/internal/muxpeer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/sockets"
	"github.com/shockwave-go/shockwave/bench/internal/sockload"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/websocket"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// start starts a peer that stops with the test.
func start(t *testing.T, name string, opt process.Options) *process.Server {
	t.Helper()
	if err := missing(name); err != nil {
		t.Skip(err)
	}
	opt.Cores = process.Both
	s, err := process.Start(t.Context(), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Every peer gives each response that a scenario measures.
func TestPeersAnswerAlike(t *testing.T) {
	for _, name := range peer.All {
		for _, tls := range []bool{false, true} {
			if tls && name == peer.Nginx {
				continue
			}
			title := name
			if tls {
				title += " over TLS"
			}
			t.Run(title, func(t *testing.T) {
				s := start(t, name, process.Options{TLS: tls})
				checked := 0
				for _, sc := range http1.Suite().Scenarios {
					for _, one := range sc.Peers {
						if one != name || sc.Options.TLS != tls {
							continue
						}
						checked++
						if err := sc.Check(s); err != nil {
							t.Errorf("%s: %v", sc.Name, err)
						}
					}
				}
				if checked == 0 {
					t.Error("no scenario measures this peer")
				}
			})
		}
	}
}

// Every peer of HTTP/2 gives each response that a scenario measures, over TLS too where that is measured.
func TestHTTP2PeersAnswerAlike(t *testing.T) {
	for _, name := range h2peer.All {
		for _, tls := range []bool{false, true} {
			title := name
			if tls {
				title += " over TLS"
			}
			t.Run(title, func(t *testing.T) {
				s := start(t, name, process.Options{TLS: tls, HTTP2: true})
				for _, sc := range http2.Suite().Scenarios {
					if !slices.Contains(sc.Peers, name) || sc.Options.TLS != tls {
						continue
					}
					if err := sc.Check(s); err != nil {
						t.Errorf("%s: %v", sc.Name, err)
					}
				}
			})
		}
	}
}

// Every WebSocket peer does what a scenario measures.
func TestWebSocketPeersTalkAlike(t *testing.T) {
	for _, name := range wspeer.All {
		t.Run(name, func(t *testing.T) {
			s := start(t, name, process.Options{})
			for _, sc := range websocket.Suite().Scenarios {
				if !slices.Contains(sc.Peers, name) {
					continue
				}
				if err := sc.Check(s); err != nil {
					t.Errorf("%s: %v", sc.Name, err)
				}
			}
		})
	}
}

// Every peer of messages takes and sends what a scenario measures.
func TestSocketPeersTalkAlike(t *testing.T) {
	for _, transport := range sockpeer.Transports {
		peers, _ := sockpeer.On(transport)
		for _, name := range peers {
			t.Run(name+" on "+transport, func(t *testing.T) {
				s := start(t, name, process.Options{Socket: transport})
				checked := 0
				for _, sc := range sockets.Suite().Scenarios {
					if !slices.Contains(sc.Peers, name) || sc.Options.Socket != transport {
						continue
					}
					checked++
					if err := sc.Check(s); err != nil {
						t.Errorf("%s: %v", sc.Name, err)
					}
				}
				if checked == 0 {
					t.Error("no scenario measures this peer")
				}
			})
		}
	}
}

// A message to a room reaches all its members, with every peer that has rooms.
func TestRoomsOfSocketPeers(t *testing.T) {
	for _, transport := range []string{"tcp", "ws"} {
		peers, _ := sockpeer.On(transport)
		for _, name := range peers {
			if name == sockpeer.C {
				continue
			}
			s := start(t, name, process.Options{Socket: transport})
			a, err := wsload.Tell(sockpeer.OrderRoom, transport == "tcp",
				wsload.Options{Addr: s.Addr, PID: s.PID, Conns: 10, Warmup: time.Millisecond, Duration: 20 * time.Millisecond})
			if err != nil || a.Requests < 10 || a.Requests%10 != 0 {
				t.Errorf("%s on %s: got %+v, %v", name, transport, a, err)
			}
		}
	}
}

// Occasional messages arrive beside any number of held connections, and those echo again.
func TestHeldSocketsEchoTwice(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	for _, transport := range []string{"tcp", "ws"} {
		s := start(t, sockpeer.Recv, process.Options{Socket: transport})
		h, err := hold.OpenSockets(t.Context(), s, 50, transport)
		if err != nil {
			t.Fatal(err)
		}
		a, err := sockload.Trickle(transport == "tcp",
			wsload.Options{Addr: s.Addr, PID: s.PID, Conns: 20, Warmup: time.Millisecond, Duration: 300 * time.Millisecond})
		if err != nil || a.Requests < 20 || a.Requests > 80 {
			t.Errorf("%s: got %+v, %v", transport, a, err)
		}
		if err := h.Again(); err != nil {
			t.Error(err)
		}
		h.Close()
	}
}

// Every peer with channels does what a scenario measures.
func TestPeersConverseAlike(t *testing.T) {
	for _, name := range muxpeer.All {
		t.Run(name, func(t *testing.T) {
			s := start(t, name, process.Options{Mux: true})
			for _, sc := range channels.Suite().Scenarios {
				if err := sc.Check(s); err != nil {
					t.Errorf("%s: %v", sc.Name, err)
				}
			}
		})
	}
}

// Each peer that is a Go program reports its memory and goroutines, and the system reports its memory too.
func TestPeersTellWhatTheyUse(t *testing.T) {
	for _, name := range []string{peer.Native, peer.NetHTTP, peer.Std, peer.FastHTTP, wspeer.Callbacks, wspeer.GWS} {
		s := start(t, name, process.Options{})
		state, err := s.Ask(peer.WordMemory)
		if err != nil || state.RSS < 1<<20 || state.HeapInUse == 0 || state.Goroutines == 0 {
			t.Errorf("%s uses %+v, %v", name, state, err)
		}
		if rss, err := peer.ReadRSS(s.PID); err != nil || rss < 1<<20 {
			t.Errorf("%s: the system says that it uses %d, %v", name, rss, err)
		}
	}
}

// Asking nginx for its state is an error.
func TestNginxCannotBeAsked(t *testing.T) {
	s := start(t, peer.Nginx, process.Options{})
	if state, err := s.Ask(peer.WordMemory); err == nil {
		t.Errorf("nginx says %+v", state)
	}
}

// A peer that does not start gives the reason.
func TestAPeerThatDoesNotStartSaysWhy(t *testing.T) {
	s, err := process.Start(t.Context(), "apache", process.Options{Cores: process.Both})
	if err == nil {
		s.Stop()
	}
	if err == nil || !strings.Contains(err.Error(), `unknown peer "apache"`) {
		t.Errorf("apache: %v", err)
	}
}

// Held connections stay open, and respond again.
func TestHeldConnectionsAnswerTwice(t *testing.T) {
	for _, tls := range []bool{false, true} {
		s := start(t, peer.Std, process.Options{TLS: tls}) // which has a goroutine for each connection, idle or not
		if err := process.CanPin(); err != nil {
			t.Skip(err)
		}
		h, err := hold.Open(t.Context(), s, 50, peer.PathText)
		if err != nil {
			t.Fatal(err)
		}
		open, err := s.Ask(peer.WordCounts)
		if err != nil || open.Goroutines < 50 {
			t.Errorf("%d goroutines with 50 connections, %v", open.Goroutines, err)
		}
		if err := h.Again(); err != nil {
			t.Error(err)
		}
		h.Close()
	}
}

// Held connections of HTTP/2 respond again.
func TestHeldConnectionsOfHTTP2AnswerTwice(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	for _, tls := range []bool{false, true} {
		s := start(t, h2peer.Std, process.Options{TLS: tls, HTTP2: true})
		h, err := hold.OpenHTTP2(t.Context(), s, 50, peer.PathText)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Again(); err != nil {
			t.Error(err)
		}
		h.Close()
	}
}

// Held WebSockets echo again.
func TestHeldWebSocketsEchoTwice(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	for _, name := range wspeer.Ours {
		for _, path := range []string{wspeer.PathEcho, wspeer.PathDeflate} {
			h, err := hold.OpenWebSockets(t.Context(), start(t, name, process.Options{}), 50, path)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, path, err)
			}
			if err := h.Again(); err != nil {
				t.Errorf("%s, %s: %v", name, path, err)
			}
			h.Close()
		}
	}
}

// The error of connections that cannot be held gives the reason.
func TestHeldConnectionsThatFailSayWhy(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	s := start(t, peer.Native, process.Options{})
	h, err := hold.Open(t.Context(), s, 5, "/else")
	if err == nil {
		h.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "the status is 404, want 200") {
		t.Errorf("a path that nobody serves: %v", err)
	}
}
