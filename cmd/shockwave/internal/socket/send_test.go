//go:build unix

package socket

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
)

const large = 1_000_000

// A send that waits holds up the later commands for its own peer, and no others.
func TestSocketWaitingSends(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport)
		slow := dials(t, url)
		s.Wants(`{"event":"connected","peer":1}`)
		other := dials(t, url)
		s.Wants(`{"event":"connected","peer":2}`)
		for i := range 17 {
			s.Say(fmt.Sprintf(`{"do":"send","peer":1,"fill":%d,"tag":%d}`, large, i))
		}
		s.Say(`{"do":"disconnect","peer":1,"tag":"bye"}`, `{"do":"send","peers":[2,1],"text":"both","tag":"both"}`,
			`{"do":"send","peer":2,"text":"other","tag":"other"}`)
		s.Waits(`{"event":"ok","tag":"other"}`)
		other.wantMessages("both", "other")
		s.Say(`{"do":"peers"}`)
		list := s.Waits(`{"event":"peers"}`)["peers"].([]any)
		if p := list[0].(clitest.Object); p["queued"].(float64) == 0 || p["queued_bytes"].(float64) > 4<<20 {
			t.Errorf("the slow peer: %v", p)
		}
		for range 17 {
			slow.wantMessages(clitest.Filled(large))
		}
		s.Waits(`{"event":"ok","tag":16}`)
		s.Waits(`{"event":"ok","tag":"bye"}`)
		slow.wantGoodbye(1000, "")
		s.Say(`{"do":"broadcast","text":"end","tag":"end"}`)
		other.wantMessages("end")
		other.Conn.Close()
		s.Closes()
	})
}

// While too much waits, stdin is not read, and nothing is lost at its end.
func TestSocketStdinWaits(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp")
	f := dials(t, url)
	s.Wants(`{"event":"connected"}`)
	said := make(chan struct{})
	const n = 60
	go func() {
		defer close(said)
		for range n {
			fmt.Fprintf(s.In, `{"do":"broadcast","base64":"%s"}`+"\n", strings.Repeat("AAAA", large/3))
		}
	}()
	select {
	case <-said:
		t.Error("all of it was read")
	case <-time.After(300 * time.Millisecond):
	}
	for range n {
		f.wantMessages(strings.Repeat("\x00", large/3*3))
	}
	<-said
	f.Conn.Close()
	s.Wants(`{"event":"disconnected","reason":"eof"}`)
	s.Closes()
}

// -slow decides about a message to a peer whose queue is full.
func TestSocketPolicies(t *testing.T) {
	for _, tc := range []struct {
		slow, errors string // what a send may fail with
		arrives      func(first, last bool, n int) bool
	}{
		{"fail", "queue full", func(first, last bool, n int) bool { return first && !last && n < 60 }},
		{"drop", "", func(first, last bool, n int) bool { return last && n < 60 }},
		{"close", "queue full|gone", func(first, last bool, n int) bool { return first && !last && n < 60 }},
	} {
		t.Run(tc.slow, func(t *testing.T) {
			t.Parallel()
			s, url := listens(t, "ws", "-slow", tc.slow, "-queue-messages", "3")
			f := dials(t, url)
			s.Wants(`{"event":"connected"}`)
			for i := range 60 {
				s.Say(fmt.Sprintf(`{"do":"send","peer":1,"fill":%d}`, large+i))
			}
			s.Say(`{"do":"disconnect","peer":1,"tag":"end"}`)
			failed := 0
			for e := s.Next(); e["tag"] != "end"; e = s.Next() {
				if text, ok := e["error"].(string); ok {
					failed++
					if word, _, _ := strings.Cut(text, ":"); !strings.Contains(tc.errors, word) {
						t.Errorf("%v", e)
					}
				}
			}
			if (failed > 0) != (tc.errors != "") {
				t.Errorf("%d sends failed", failed)
			}
			var sizes []int
			first, p := f.HearFrame()
			for ; first == clitest.Fin|clitest.Binaries; first, p = f.HearFrame() {
				sizes = append(sizes, len(p)-large)
			}
			n := len(sizes)
			if !tc.arrives(sizes[0] == 0, sizes[n-1] == 59, n) {
				t.Errorf("what has arrived: %v", sizes)
			}
			f.SayFrame(clitest.Fin|clitest.Closes, p[:2])
			want := `{"event":"disconnected","reason":"local","code":1000}`
			if tc.slow == "close" {
				want = `{"event":"disconnected","reason":"slow","code":1013}`
			}
			s.Waits(want)
			f.Conn.Close()
			s.Closes()
		})
	}
}

// A peer that does not read its echoes is not read from, and others are served.
func TestSocketSlowEcho(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport, "-echo", "-quiet", "-linger", "1m")
		slow := dials(t, url)
		s.Wants(`{"event":"connected","peer":1}`)
		other := dials(t, url)
		s.Wants(`{"event":"connected","peer":2}`)
		const n = 30
		sent := make(chan int, 1)
		go func() {
			for i := range n {
				if _, err := slow.Conn.Write([]byte(slow.wire(clitest.Filled(large)))); err != nil {
					sent <- i
					return
				}
			}
			sent <- n
		}()
		select {
		case i := <-sent:
			t.Fatalf("%d messages were taken from a peer that does not read", i)
		case <-time.After(200 * time.Millisecond):
		}
		other.sends("me")
		other.wantMessages("me")
		for range n / 2 {
			slow.wantMessages(clitest.Filled(large))
		}
		slow.resets()
		s.Wants(`{"event":"disconnected","peer":1}`)
		other.Conn.Close()
		s.Waits(`{"event":"disconnected","peer":2}`)
		s.Closes()
	})
}

// wire is a message as it is sent.
func (f *far) wire(p string) string {
	if f.framed() {
		return "\x82\xff" + string([]byte{0, 0, 0, 0, byte(len(p) >> 24), byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p))}) + "\x00\x00\x00\x00" + p
	}
	return lengthed(p)
}

// While stdout is not read no messages are received, sending goes on, and all events come later.
func TestSocketUnreadStdout(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport)
		f := dials(t, url)
		s.Wants(`{"event":"connected"}`)
		const n = 20
		sent := make(chan error, 1)
		go func() {
			for range n {
				if _, err := io.WriteString(f.Conn, f.wire(clitest.Filled(large))); err != nil {
					sent <- err
					return
				}
			}
			sent <- nil
		}()
		select {
		case err := <-sent:
			t.Fatalf("all messages were taken: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		s.Say(`{"do":"send","peer":1,"text":"hello"}`, `{"do":"send","peer":1,"fill":100000}`, `{"do":"send","peer":1,"text":"again"}`)
		f.wantMessages("hello", clitest.Filled(100000), "again")
		for range n {
			s.Wants(fmt.Sprintf(`{"event":"message","len":%d}`, large))
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		f.Conn.Close()
		s.Wants(`{"event":"disconnected"}`)
		s.Closes()
	})
}

// When stdout is read again after the end, all events are there, in order.
func TestSocketUnreadEnd(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport, "-linger", "50ms")
		f := dials(t, url)
		s.Wants(`{"event":"connected"}`)
		ended, sent := make(chan struct{}), new(atomic.Int32)
		go func() {
			defer close(ended)
			for {
				if _, err := io.WriteString(f.Conn, f.wire(clitest.Filled(large))); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		for before := int32(-1); before < 4 || before != sent.Load(); time.Sleep(200 * time.Millisecond) { // until it is slowed
			before = sent.Load()
		}
		s.Signal(syscall.SIGTERM)
		<-ended
		time.Sleep(700 * time.Millisecond) // more than it may take
		rest := s.Ends(0)
		n := len(rest)
		if n < 3 || rest[n-2]["event"] != "disconnected" || rest[n-1]["event"] != "closed" {
			t.Fatalf("%d events, at last %.80v", n, rest[max(0, n-2):])
		}
		for _, e := range rest[:n-2] {
			if e["event"] != "message" || e["len"] != float64(large) {
				t.Errorf("%.80v", e)
			}
		}
	})
}

// With -text, text messages are sent and received as text.
func TestSocketText(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "ws", "-text", "-echo")
	f := dials(t, url)
	f.SayFrame(clitest.Fin|clitest.Text, "hé")
	f.SayFrame(clitest.Text, "")
	f.SayFrame(clitest.Fin, "")
	f.sends("b")
	s.Wants(`{"event":"connected"}`, `{"event":"message","len":3,"text":"hé","kind":"text"}`, `{"text":"","kind":"text"}`)
	if e := s.Wants(`{"event":"message","text":"b"}`); e["kind"] != nil {
		t.Errorf("%v", e)
	}
	s.Say(`{"do":"send","peer":1,"text":"é","kind":"text"}`, `{"do":"broadcast","text":"x","kind":"text"}`,
		`{"do":"send","peer":1,"base64":"/w==","kind":"text"}`)
	s.Wants(`{"event":"error"}`)
	for _, want := range []string{"hé", "", "b", "é", "x"} {
		first, p := f.HearFrame()
		if p != want || (first == clitest.Fin|clitest.Binaries) != (want == "b") {
			t.Errorf("frame %x %q, want %q", first, p, want)
		}
	}
	f.Conn.Close()
	s.Wants(`{"event":"disconnected"}`)
	s.Closes()
}

// Without -json a line goes to every peer, and messages are shown.
func TestSocketLines(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-bind", "tcp://127.0.0.1:0", "-bind", "ws://127.0.0.1:0")
	said := func(what string) string {
		for end := time.Now().Add(clitest.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if _, rest, ok := strings.Cut(s.Err.String(), what); ok && strings.Contains(rest, "\n") {
				line, _, _ := strings.Cut(rest, "\n")
				return what + line
			}
		}
		t.Fatalf("standard error: %s, want %q", s.Err.String(), what)
		return ""
	}
	a := dials(t, strings.TrimPrefix(said("listening on tcp"), "listening on "))
	said("1 connected: tcp 127.0.0.1:")
	b := dials(t, strings.TrimPrefix(said("listening on ws"), "listening on "))
	said("2 connected: ws 127.0.0.1:")
	a.sends("hello", "", "two\nlines", "\xff", "é \"q\"")
	for _, want := range []string{`1< hello`, `1< `, `1< "two\nlines"`, `1< "\xff"`, `1< é "q"`} {
		if got, err := s.Out.ReadString('\n'); got != want+"\n" {
			t.Errorf("shown: %q, %v, want %q", got, err, want)
		}
	}
	s.Say("to all", "", "not \xff UTF-8")
	a.wantMessages("to all", "", "not \xff UTF-8")
	b.wantMessages("to all", "", "not \xff UTF-8")
	b.SayFrame(clitest.Fin|clitest.Closes, coded(4000, "why not"))
	said(`2 disconnected: closed 4000 "why not"`)
	a.Conn.Close()
	said("1 disconnected: eof")
	s.In.Close() // a listener goes on
	c := dials(t, strings.TrimPrefix(said("listening on tcp"), "listening on "))
	said("3 connected: tcp")
	c.Conn.Close()
	s.Signal(os.Interrupt)
	s.Ends(0)
}

// The error for undelivered messages has the singular and the plural.
func TestNotDelivered(t *testing.T) {
	if err := jsontalk.NotDelivered(0); err != nil {
		t.Error(err)
	}
	for n, want := range map[int]string{1: "1 message was not delivered", 2000: "2,000 messages were not delivered"} {
		if err := jsontalk.NotDelivered(n); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// -max-message bounds sent messages, by command and by line.
func TestSocketMaxMessageSent(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport, "-max-message", "5")
		f := dials(t, url)
		s.Wants(`{"event":"connected","peer":1}`)
		s.Say(`{"do":"send","peer":1,"text":"123456","tag":1}`, `{"do":"send","peers":[1],"fill":6,"tag":2}`,
			`{"do":"broadcast","base64":"MTIzNDU2","tag":3}`, `{"do":"send","peer":1,"text":"12345","tag":4}`, `{"do":"broadcast","fill":5,"tag":5}`)
		for tag := 1; tag <= 3; tag++ {
			e := s.Waits(fmt.Sprintf(`{"event":"error","tag":%d}`, tag))
			if text := e["error"].(string); !strings.HasPrefix(text, "message too large: 6 bytes") {
				t.Errorf("%d: %q", tag, text)
			}
		}
		f.wantMessages("12345", clitest.Filled(5))
		s.Closes()
	})
	t.Run("no bound", func(t *testing.T) {
		s, url := listens(t, "tcp", "-max-message", "0")
		f := dials(t, url)
		s.Wants(`{"event":"connected","peer":1}`)
		s.Say(`{"do":"send","peer":1,"fill":17000000}`)
		f.wantMessages(clitest.Filled(17_000_000))
		s.Closes()
	})
}

// Without -json a line that is too long is refused and reported.
func TestSocketMaxMessageOfLines(t *testing.T) {
	s := clitest.Run(t, "socket", "-bind", "tcp://127.0.0.1:0", "-max-message", "5")
	f := dials(t, "tcp://"+s.Says("listening on tcp://"))
	s.Says("1 connected")
	s.Say("123456", "12345")
	f.wantMessages("12345")
	s.Says("shockwave: message too large: 6 bytes")
	s.Signal(syscall.SIGKILL)
}
