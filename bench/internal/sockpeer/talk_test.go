package sockpeer

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

// A message that differs in any byte, in its number or in its length is not the same.
func TestEveryByteOfAMessageCounts(t *testing.T) {
	for _, size := range []int{8, 64, period, period + 1, 3*period - 1} {
		p := make([]byte, size)
		Fill(p, 7)
		if !same(p, 7) || same(p, 8) || same(p[:7], 7) {
			t.Errorf("%d bytes: number 7 is not number 7", size)
		}
		for i := range p {
			p[i] ^= 1
			if same(p, 7) {
				t.Errorf("%d bytes: byte %d is another", size, i)
			}
			p[i] ^= 1
		}
	}
}

// conversation is a session whose server replies into a buffer.
func conversation(said *[]string) *session {
	return &session{send: func(p []byte) error { *said = append(*said, string(p)); return nil }}
}

// A session echoes if it is asked to, and its report says which messages are missing or wrong.
func TestSessionsReportWhatHasArrived(t *testing.T) {
	for _, tc := range []struct {
		order   string
		numbers []uint64
		echoes  int
		want    string // of what ReadReport says; empty: nothing
	}{
		{OrderSink, []uint64{0, 1, 2}, 0, ""},
		{OrderEcho, []uint64{0, 1, 2}, 3, ""},
		{OrderSink, []uint64{0, 1}, 0, "of 3 messages 2 arrived"},
		{OrderSink, []uint64{0, 2, 1}, 0, "wrong one was number 2"},
		{OrderEcho, []uint64{1, 1, 2}, 3, "wrong one was number 1"},
	} {
		var said []string
		s := conversation(&said)
		for range 2 { // the second time as the first
			said = nil
			s.take([]byte(tc.order))
			for _, n := range tc.numbers {
				p := make([]byte, 100)
				Fill(p, n)
				s.take(p)
			}
			s.take(nil)
			if len(said) != tc.echoes+1 {
				t.Fatalf("%v: it said %d things, want %d", tc, len(said), tc.echoes+1)
			}
			_, err := ReadReport([]byte(said[tc.echoes]), 3)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v: %v", tc, err)
			}
		}
	}
	if _, err := ReadReport([]byte("nothing"), 0); err == nil {
		t.Error("a report that is none")
	}
}

// A session that joins a room sends each later message to the room.
func TestWhatIsSaidInARoomIsTold(t *testing.T) {
	var told []string
	joined := 0
	s := &session{join: func() { joined++ }, tell: func(p []byte) { told = append(told, string(p)) }}
	for _, p := range []string{OrderRoom, "a", "", "b"} {
		s.take([]byte(p))
	}
	if joined != 1 || strings.Join(told, "|") != "a||b" {
		t.Errorf("joined %d times, told %q", joined, told)
	}
}

// A driver that talks to a session without a connection reports a wrong echo.
func TestDriversSeeWrongEchoes(t *testing.T) {
	for _, what := range []string{OneWay, Lone, Batch} {
		for _, wrong := range []bool{false, true} {
			var back [][]byte
			s := &session{send: func(p []byte) error { back = append(back, bytes.Clone(p)); return nil }}
			d := newDriver(Task{what, 64, time.Millisecond}, func(p []byte) error {
				p = bytes.Clone(p)
				if wrong && len(p) == 64 {
					p[63] ^= 1
				}
				return s.take(p)
			})
			a, err := d.run(func() error {
				for {
					if len(back) == 0 {
						return errors.New("nothing comes")
					}
					p := back[0]
					back = back[1:]
					if over, err := d.take(p); over || err != nil {
						return err
					}
				}
			})
			switch {
			case wrong && err == nil:
				t.Errorf("%s: a byte is another, and nobody says so", what)
			case !wrong && (err != nil || a.Messages == 0 || a.Rate <= 0 || (a.P50 > 0) != (what != OneWay)):
				t.Errorf("%s: got %+v, %v", what, a, err)
			}
		}
	}
}

// Check refuses unknown peers, unknown transports, and transports that the peer does not have.
func TestPeersAreOnTheirTransports(t *testing.T) {
	for _, tc := range []struct{ name, transport, want string }{
		{Recv, "tcp", ""}, {Beast, "wss", ""}, {ZMQ, "tls", "has no TLS"}, {Net, "ws", "has no WebSocket"},
		{"apache", "tcp", "unknown peer"}, {Recv, "udp", "no transport"},
	} {
		err := Check(tc.name, tc.transport)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s on %s: %v", tc.name, tc.transport, err)
		}
	}
}

// The error names the compiler that is missing.
func TestMissingCompilersAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := programs[Beast].build(); err == nil || !strings.Contains(err.Error(), "takes g++") {
		t.Errorf("without a compiler: %v", err)
	}
}

// The error names the headers that are missing.
func TestMissingHeadersAreNamed(t *testing.T) {
	p := programs[C]
	p.headers = []string{"nobody/has/this.h"}
	if _, err := p.build(); err == nil || !strings.Contains(err.Error(), "takes the headers nobody/has/this.h") &&
		!strings.Contains(err.Error(), "takes gcc") {
		t.Errorf("without a header: %v", err)
	}
}
