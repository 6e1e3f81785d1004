package main

import (
	"os"
	"path/filepath"
	"slices"
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

// startHTTP3 is start for a peer of HTTP/3. It skips the test if the peer is a program that has not been built.
func startHTTP3(t *testing.T, name string) *process.Server {
	t.Helper()
	if h3peer.IsProgram(name) && !h3peer.Built(name) {
		t.Skipf("%s has not been built: go run . http3 -peers %s builds it", name, name)
	}
	return start(t, name, process.Options{HTTP3: true})
}

// Every peer of HTTP/3 gives each response that a scenario measures, tells what it uses, and takes new connections.
func TestHTTP3PeersAnswerAlike(t *testing.T) {
	for _, name := range h3peer.All {
		t.Run(name, func(t *testing.T) {
			s := startHTTP3(t, name)
			checked := 0
			for _, sc := range http3.Suite().Scenarios {
				if !slices.Contains(sc.Peers, name) {
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
			if s.Foreign() {
				if _, err := s.Ask(peer.WordMemory); err == nil {
					t.Error("got the state of a foreign program, want an error")
				}
			} else if state, err := s.Ask(peer.WordMemory); err != nil || state.RSS < 1<<20 || state.Mallocs == 0 {
				t.Errorf("it uses %+v, %v", state, err)
			}
			a, err := h3load.Handshakes(wsload.Options{Addr: s.Addr, PID: s.PID, Conns: 4, Warmup: time.Millisecond, Duration: time.Second})
			if err != nil || a.Requests == 0 || a.Target.User+a.Target.System == 0 {
				t.Errorf("new connections: got %+v, %v", a, err)
			}
		})
	}
}

// Listing the scenarios needs the tools of the programs, but builds none of them.
func TestAListBuildsNothing(t *testing.T) {
	tools := t.TempDir()
	for _, tool := range []string{"go", "cargo"} {
		if err := os.WriteFile(filepath.Join(tools, tool), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", tools)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	out, errors, code := said(t, "http3", "-list", "-only", "^get-1x1$", "-peers", "caddy,quinn")
	if code != 0 || !strings.Contains(out, "13 bytes") {
		t.Errorf("exit code %d, %q, %q", code, out, errors)
	}
}

// The error of a failed handshake gives the reason.
func TestHandshakesThatFailSayWhy(t *testing.T) {
	_, err := h3load.Handshakes(wsload.Options{Addr: "127.0.0.1:none", PID: os.Getpid(), Conns: 2, Duration: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "unknown port") {
		t.Errorf("a port that cannot be: %v", err)
	}
}

// Held connections of HTTP/3 stay open, and respond again.
func TestHeldConnectionsOfHTTP3AnswerTwice(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	for _, name := range h3peer.All {
		t.Run(name, func(t *testing.T) {
			s := startHTTP3(t, name)
			h, err := hold.OpenHTTP3(t.Context(), s, 50, peer.PathText)
			if err != nil {
				t.Fatal(err)
			}
			if !s.Foreign() {
				open, err := s.Ask(peer.WordCounts)
				if err != nil || open.Goroutines < 50 { // quic-go has some for each connection
					t.Errorf("%d goroutines with 50 connections, %v", open.Goroutines, err)
				}
			}
			if err := h.Again(); err != nil {
				t.Error(err)
			}
			h.Close()
		})
	}
}
