// Package process runs the peers: each is a process of its own, on a core of its own.
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

// Options say how a peer is to run.
type Options struct {
	TLS   bool
	HTTP2 bool // it is a peer of package h2peer, not of the others
	Asks  bool // it is a client, of package clientpeer: it has no address
	// Socket is the transport that a peer of package sockpeer serves; empty for others.
	Socket string
	Mux    bool // it is a peer of package muxpeer
	Cores  Cores
}

// Server is a running peer. Its methods are for one goroutine at a time.
type Server struct {
	Name string
	Addr string // host:port
	PID  int
	TLS  bool

	*Dialogue
	dir string // its own, removed when it stops
}

// patience is how long a process may take for anything that it is asked.
const patience = 30 * time.Second

// Start starts the peer called name from this program's own file and waits until it takes connections. The caller
// stops it.
func Start(ctx context.Context, name string, opt Options) (*Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &Server{Name: name, TLS: opt.TLS}
	if s.dir, err = os.MkdirTemp("", "peer-"); err != nil {
		return nil, err
	}
	args := []string{"serve", "-peer", name, "-dir", s.dir, fmt.Sprintf("-tls=%t", opt.TLS), fmt.Sprintf("-http2=%t", opt.HTTP2)}
	if opt.Socket != "" {
		args = append(args, "-socket", opt.Socket)
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
		err = s.begin(ctx)
	}
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("%s did not start: %w %s", name, err, s.Said())
	}
	return s, nil
}

// begin waits until the process has said its address and takes connections.
func (s *Server) begin(ctx context.Context) (err error) {
	if s.Addr, err = s.Hear(patience); err != nil {
		return err
	}
	return s.Listens(ctx)
}

// Listens waits until the server takes a connection. Other people's programs have said their address before they do.
func (s *Server) Listens(ctx context.Context) error {
	for deadline := time.Now().Add(patience); ; {
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

// Stop ends the process and returns when it is gone.
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

// Path returns a name for a file that is removed when the server stops.
func (s *Server) Path(name string) string { return filepath.Join(s.dir, name) }

// Foreign reports whether the peer is another program, which cannot be asked.
func (s *Server) Foreign() bool { return slices.Contains(foreign, s.Name) }

// foreign are the peers that are other programs.
var foreign = []string{peer.Nginx, "nghttpd", "h2o", "beast", "zmq", "c"}

// Ask sends a word to the peer's process and returns its answer; see peer.Control. Other people's programs understand
// none.
func (s *Server) Ask(word string) (state peer.State, err error) {
	if s.Foreign() {
		return state, errors.New(s.Name + " cannot be asked")
	}
	if err := s.Say(word); err != nil {
		return state, err
	}
	line, err := s.Hear(patience)
	if err != nil {
		return state, fmt.Errorf("%s does not say what it uses: %w", s.Name, err)
	}
	return state, json.Unmarshal([]byte(line), &state)
}
