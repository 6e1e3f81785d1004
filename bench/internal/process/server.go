// Package process runs the peers, each in a process of its own, pinned to cores.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// Options say how a peer runs.
type Options struct {
	TLS   bool
	HTTP2 bool // the peer is in package h2peer
	HTTP3 bool // the peer is in package h3peer, and always has TLS
	Asks  bool // the peer is a client, in package clientpeer: it has no address
	// Socket is the transport of a peer in package sockpeer; "" for other peers.
	Socket string
	Mux    bool // the peer is in package muxpeer
	Cores  Cores
}

// Server is a running peer. Its methods are for one goroutine at a time.
type Server struct {
	Name string
	Addr string // host:port
	PID  int
	TLS  bool

	*Dialogue
	dir string // the server's directory, removed by Stop
}

// timeout is how long a process may take to start or to reply.
const timeout = 30 * time.Second

// Start runs this program as the peer called name and waits until it accepts connections. The caller must stop it.
func Start(ctx context.Context, name string, opt Options) (*Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &Server{Name: name, TLS: opt.TLS || opt.HTTP3}
	if s.dir, err = os.MkdirTemp("", "peer-"); err != nil {
		return nil, err
	}
	args := []string{"serve", "-peer", name, "-dir", s.dir, fmt.Sprintf("-tls=%t", opt.TLS), fmt.Sprintf("-http2=%t", opt.HTTP2)}
	if opt.Socket != "" {
		args = append(args, "-socket", opt.Socket)
	}
	if opt.HTTP3 {
		args = append(args, "-http3")
	}
	if opt.Mux {
		args = append(args, "-mux")
	}
	if opt.Asks {
		args = []string{"ask", "-peer", name, "-dir", s.dir}
	}
	s.Dialogue, err = Talk(Command(ctx, opt.Cores, self, args...))
	if err == nil {
		s.PID = s.cmd.Process.Pid
	}
	if err == nil && !opt.Asks {
		err = s.begin(ctx, opt)
	}
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("%s did not start: %w %s", name, err, s.Said())
	}
	return s, nil
}

// begin waits until the process has printed its address and accepts connections. A socket of UDP is open by then, and keeps
// what arrives until it is served.
func (s *Server) begin(ctx context.Context, opt Options) (err error) {
	if s.Addr, err = s.Hear(timeout); err != nil || opt.HTTP3 {
		return err
	}
	return s.Listens(ctx)
}

// Listens waits until the server accepts a connection. A peer that is another program has its address printed before it
// listens.
func (s *Server) Listens(ctx context.Context) error {
	for deadline := time.Now().Add(timeout); ; {
		nc, err := net.Dial("tcp", s.Addr)
		if err == nil {
			return nc.Close()
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Stop kills the process, waits until it has ended, and removes its directory.
func (s *Server) Stop() {
	s.Dialogue.Stop()
	os.RemoveAll(s.dir)
}

// URL returns the URL of path on this server.
func (s *Server) URL(path string) string {
	if s.TLS {
		return "https://" + s.Addr + path
	}
	return "http://" + s.Addr + path
}

// Path returns the path of a file that Stop removes.
func (s *Server) Path(name string) string { return filepath.Join(s.dir, name) }

// Foreign reports whether the peer is another program, for which Ask does not work.
func (s *Server) Foreign() bool { return slices.Contains(foreign, s.Name) }

// foreign are the peers that are other programs.
var foreign = []string{peer.Nginx, "nghttpd", "h2o", "beast", "zmq", "c", "quinn"}

// Ask sends a control word to the peer's process and returns its response; see peer.Control. It returns an error if the peer is
// another program.
func (s *Server) Ask(word string) (state peer.State, err error) {
	if s.Foreign() {
		return state, errors.New(s.Name + " cannot be asked")
	}
	if err := s.Say(word); err != nil {
		return state, err
	}
	line, err := s.Hear(timeout)
	if err != nil {
		return state, fmt.Errorf("%s does not say what it uses: %w", s.Name, err)
	}
	return state, json.Unmarshal([]byte(line), &state)
}
