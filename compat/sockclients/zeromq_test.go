package sockclients

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/streamsock"
)

// startStream runs testdata/stream.py, which has a STREAM socket of ZeroMQ.
func startStream(t *testing.T, args ...string) *program.Program {
	python := program.Find(t, "python3")
	if exec.Command(python, "-c", "import zmq").Run() != nil {
		t.Skip("no Python package pyzmq: scripts/peers installs it")
	}
	return program.Start(t, python, append([]string{filepath.Join("testdata", "stream.py")}, args...)...)
}

func wantWell(t *testing.T, p *program.Program) {
	t.Helper()
	if err := p.Wait(patience); err != nil || !strings.Contains(p.Said(), "all is well") {
		t.Errorf(`%v: got %q, want "all is well" in it`, err, p.Said())
	}
}

// receive returns the next message or event.
func receive(t *testing.T, s *streamsock.Socket) streamsock.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
	defer cancel()
	m, err := s.Recv(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A STREAM socket of ZeroMQ and ours connect in both directions, with the same bytes.
func TestZeroMQ(t *testing.T) {
	t.Parallel()
	t.Run("it-connects", func(t *testing.T) {
		t.Parallel()
		s, url := newSocket(t, streamsock.Config{}, "tcp")
		p := startStream(t, "connect", url)
		for messages := 0; ; messages++ {
			m := receive(t, s)
			if m.Kind == streamsock.EventConnected {
				messages--
				continue
			}
			if m.Kind == streamsock.EventDisconnected {
				if messages != 8 || m.End.Reason != streamsock.ReasonEOF {
					t.Errorf("the connection ends with %v after %d messages", m.End.Reason, messages)
				}
				break
			}
			if err := m.Peer.Send(m.Data); err != nil {
				t.Error(err)
			}
			m.Release()
		}
		wantWell(t, p)
	})
	t.Run("it-binds", func(t *testing.T) {
		t.Parallel()
		p := startStream(t, "bind")
		s, _ := newSocket(t, streamsock.Config{RedialFirst: -1}, "tcp")
		peer, err := s.Connect("tcp://127.0.0.1:" + p.After("port "))
		if err != nil {
			t.Fatal(err)
		}
		if m := receive(t, s); m.Kind != streamsock.EventConnected {
			t.Fatalf("received %v", m.Kind)
		}
		for _, b := range sizes {
			if err := peer.Send(b); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range sizes {
			if m := receive(t, s); m.Kind != streamsock.KindBinary || !bytes.Equal(m.Data, want) {
				t.Fatalf("message %d is of the kind %v and has %d bytes", i, m.Kind, len(m.Data))
			}
		}
		if err := peer.Send([]byte("bye")); err != nil {
			t.Fatal(err)
		}
		if m := receive(t, s); m.Kind != streamsock.EventDisconnected || m.End.Reason != streamsock.ReasonEOF {
			t.Errorf("the end: got %v, %+v", m.Kind, m.End)
		}
		wantWell(t, p)
	})
}
