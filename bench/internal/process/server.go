// Package process runs the peers: each is a process of its own, on a core of its own.
package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// Options say how a peer is to run.
type Options struct {
	TLS   bool
	Cores Cores
}

// Server is a running peer. Its methods are for one goroutine at a time.
type Server struct {
	Name string
	Addr string // host:port
	PID  int
	TLS  bool

	cmd  *exec.Cmd
	in   io.Writer
	out  *bufio.Reader
	wait interface{ SetReadDeadline(time.Time) error }
	said bytes.Buffer // on its standard error; to be read when the process has ended
	dir  string       // its own, removed when it stops
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
	s.cmd = Command(ctx, opt.Cores, self, "serve", "-peer", name, fmt.Sprintf("-tls=%t", opt.TLS), "-dir", s.dir)
	s.cmd.Stderr = &s.said
	if err := s.begin(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%s did not start: %w %s", name, err, strings.TrimSpace(s.said.String()))
	}
	return s, nil
}

func (s *Server) begin(ctx context.Context) error {
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	pipe, ok := out.(*os.File)
	if !ok {
		return errors.New("no deadlines on pipes")
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.in, s.out, s.wait, s.PID = in, bufio.NewReader(pipe), pipe, s.cmd.Process.Pid
	s.wait.SetReadDeadline(time.Now().Add(patience))
	line, err := s.out.ReadString('\n')
	if err != nil {
		return err
	}
	s.Addr = strings.TrimSpace(line)
	return s.listens(ctx)
}

// listens waits until the server takes a connection. nginx says its address before it does.
func (s *Server) listens(ctx context.Context) error {
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
	if s.cmd.Process != nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
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

// Ask sends a word to the peer's process and returns its answer; see peer.Control. nginx understands none.
func (s *Server) Ask(word string) (state peer.State, err error) {
	if s.Name == peer.Nginx {
		return state, errors.New("nginx cannot be asked")
	}
	if _, err := io.WriteString(s.in, word+"\n"); err != nil {
		return state, err
	}
	s.wait.SetReadDeadline(time.Now().Add(patience))
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return state, fmt.Errorf("%s does not say what it uses: %w", s.Name, err)
	}
	return state, json.Unmarshal(line, &state)
}
