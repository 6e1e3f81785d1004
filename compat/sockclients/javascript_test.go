package sockclients

import (
	"bytes"
	"compress/gzip"
	"context"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/streamsock"
)

// The module's queue, waits, limits and listeners work as its page says.
func TestModule(t *testing.T) {
	eachDriver(t, pages, func(t *testing.T, d driver) {
		if lines := d.play(t, "", "unit"); !slices.Equal(lines[0], []string{"end well"}) {
			t.Errorf("the module: got %q", lines)
		}
	})
}

// A connection that breaks is opened again, the socket is told, and messages sent meanwhile arrive in order.
func TestReconnect(t *testing.T) {
	eachDriver(t, pages, func(t *testing.T, d driver) {
		s, url := newSocket(t, streamsock.Config{}, "ws")
		heard := make(chan []string, 1)
		go func() { heard <- breakTwice(t, s) }()
		lines := d.play(t, "", "r,1000,"+url)
		want := []string{
			"end closed 4000 0 again returns", "reconnected", "end closed 4000 0 again returns", "reconnected",
			"end local 1000 0 done",
		}
		if !slices.Equal(lines[0], want) {
			t.Errorf("the client tells %q, want %q", lines[0], want)
		}
		got := both.Receive(t, heard, "what the socket has heard")
		if want := []string{"closed", "1", "2", "3", "closed", "1", "2", "3", "closed"}; !slices.Equal(got, want) {
			t.Errorf("the socket hears %q, want %q", got, want)
		}
	})
}

// breakTwice ends the first two connections, has the client end the third, and returns lengths of messages and reasons.
func breakTwice(t *testing.T, s *streamsock.Socket) (heard []string) {
	connections := 0
	for {
		m, err := s.Recv(context.Background())
		if err != nil {
			return append(heard, err.Error()) // the test may be over: it was skipped
		}
		switch {
		case m.Kind == streamsock.EventConnected:
			connections++
			if connections == 1 {
				m.Peer.Disconnect(4000, "again")
			}
		case m.Kind == streamsock.EventDisconnected:
			if heard = append(heard, "closed"); connections == 3 {
				return heard
			}
		default:
			heard = append(heard, string('0'+rune(len(m.Data))))
			if !bytes.Equal(m.Data, fill(len(m.Data))) {
				t.Errorf("the message of %d bytes has others", len(m.Data))
			}
			if len(m.Data) < 3 {
				continue
			}
			if connections == 2 {
				m.Peer.Disconnect(4000, "again")
			} else {
				m.Peer.Send([]byte("do:close 1000 done"))
			}
		}
	}
}

// A client that reaches nobody reports it, and does not try again if it is told not to.
func TestNobodyAnswers(t *testing.T) {
	eachDriver(t, everyone, func(t *testing.T, d driver) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if lines := d.play(t, "", ",1000,ws://"+l.Addr().String()); !strings.HasPrefix(lines[0][0], "failed") {
			t.Errorf("the client tells %q", lines[0])
		}
	})
}

// The compressed module is small enough for any page.
func TestSizeOfModule(t *testing.T) {
	module, err := os.ReadFile("../../clients/js/streamsock.js")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w.Write(module)
	w.Close()
	if b.Len() > 5<<10 {
		t.Errorf("clients/js/streamsock.js has %d bytes behind gzip, want 5,120 at most", b.Len())
	}
}
