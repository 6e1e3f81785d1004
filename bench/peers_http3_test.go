package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/h3load"
	"github.com/shockwave-go/shockwave/bench/internal/h3peer"
	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/http3"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
)

// Every peer of HTTP/3 gives every answer that a scenario measures on it, tells what it uses, and takes new connections.
func TestHTTP3PeersAnswerAlike(t *testing.T) {
	for _, name := range h3peer.All {
		t.Run(name, func(t *testing.T) {
			s := start(t, name, process.Options{HTTP3: true})
			for _, sc := range http3.Suite().Scenarios {
				if err := sc.Check(s); err != nil {
					t.Errorf("%s: %v", sc.Name, err)
				}
			}
			if state, err := s.Ask(peer.WordMemory); err != nil || state.RSS < 1<<20 || state.Mallocs == 0 {
				t.Errorf("it uses %+v, %v", state, err)
			}
			a, err := h3load.Handshakes(wsload.Options{Addr: s.Addr, PID: s.PID, Conns: 4, Warmup: time.Millisecond, Duration: time.Second})
			if err != nil || a.Requests == 0 || a.Target.User+a.Target.System == 0 {
				t.Errorf("new connections: %+v, %v", a, err)
			}
		})
	}
}

func TestHandshakesThatFailSayWhy(t *testing.T) {
	_, err := h3load.Handshakes(wsload.Options{Addr: "127.0.0.1:none", PID: os.Getpid(), Conns: 2, Duration: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "unknown port") {
		t.Errorf("a port that cannot be: %v", err)
	}
}

func TestHeldConnectionsOfHTTP3AnswerTwice(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	for _, name := range h3peer.All {
		s := start(t, name, process.Options{HTTP3: true})
		h, err := hold.OpenHTTP3(t.Context(), s, 50, peer.PathText)
		if err != nil {
			t.Fatal(err)
		}
		open, err := s.Ask(peer.WordCounts)
		if err != nil || open.Goroutines < 50 { // quic-go has some for each connection
			t.Errorf("%s: %d goroutines with 50 connections, %v", name, open.Goroutines, err)
		}
		if err := h.Again(); err != nil {
			t.Error(err)
		}
		h.Close()
	}
}
