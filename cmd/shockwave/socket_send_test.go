//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const large = 1_000_000

// TestSocketWaitingSends: a send that must wait holds up what is for its own peer, and nothing else.
func TestSocketWaitingSends(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport)
		slow := dials(t, url)
		s.wants(`{"event":"connected","peer":1}`)
		other := dials(t, url)
		s.wants(`{"event":"connected","peer":2}`)
		for i := range 17 {
			s.say(fmt.Sprintf(`{"do":"send","peer":1,"fill":%d,"tag":%d}`, large, i))
		}
		s.say(`{"do":"disconnect","peer":1,"tag":"bye"}`, `{"do":"send","peers":[2,1],"text":"both","tag":"both"}`,
			`{"do":"send","peer":2,"text":"other","tag":"other"}`)
		s.waits(`{"event":"ok","tag":"other"}`)
		other.wantMessages("both", "other")
		s.say(`{"do":"peers"}`)
		list := s.waits(`{"event":"peers"}`)["peers"].([]any)
		if p := list[0].(object); p["queued"].(float64) == 0 || p["queued_bytes"].(float64) > 4<<20 {
			t.Errorf("the slow peer: %v", p)
		}
		for range 17 {
			slow.wantMessages(filled(large))
		}
		s.waits(`{"event":"ok","tag":16}`)
		s.waits(`{"event":"ok","tag":"bye"}`)
		slow.wantGoodbye(1000, "")
		s.say(`{"do":"broadcast","text":"end","tag":"end"}`)
		other.wantMessages("end")
		other.nc.Close()
		s.closes()
	})
}

// TestSocketStdinWaits: when too much waits nothing more is read from stdin, and nothing of it is lost at its end.
func TestSocketStdinWaits(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp")
	f := dials(t, url)
	s.wants(`{"event":"connected"}`)
	said := make(chan struct{})
	const n = 60
	go func() {
		defer close(said)
		for range n {
			fmt.Fprintf(s.in, `{"do":"broadcast","base64":"%s"}`+"\n", strings.Repeat("AAAA", large/3))
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
	f.nc.Close()
	s.wants(`{"event":"disconnected","reason":"eof"}`)
	s.closes()
}

// TestSocketPolicies: what becomes of a message for which there is no room.
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
			s.wants(`{"event":"connected"}`)
			for i := range 60 {
				s.say(fmt.Sprintf(`{"do":"send","peer":1,"fill":%d}`, large+i))
			}
			s.say(`{"do":"disconnect","peer":1,"tag":"end"}`)
			failed := 0
			for e := s.next(); e["tag"] != "end"; e = s.next() {
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
			first, p := f.hearFrame()
			for ; first == fin|binaries; first, p = f.hearFrame() {
				sizes = append(sizes, len(p)-large)
			}
			n := len(sizes)
			if !tc.arrives(sizes[0] == 0, sizes[n-1] == 59, n) {
				t.Errorf("what has arrived: %v", sizes)
			}
			f.sayFrame(fin|closes, p[:2])
			want := `{"event":"disconnected","reason":"local","code":1000}`
			if tc.slow == "close" {
				want = `{"event":"disconnected","reason":"slow","code":1013}`
			}
			s.waits(want)
			f.nc.Close()
			s.closes()
		})
	}
}

// TestSocketSlowEcho: who does not read its echoes is not read from, and others are served. When it goes that is told.
func TestSocketSlowEcho(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport, "-echo", "-quiet", "-linger", "1m")
		slow := dials(t, url)
		s.wants(`{"event":"connected","peer":1}`)
		other := dials(t, url)
		s.wants(`{"event":"connected","peer":2}`)
		const n = 30
		sent := make(chan int, 1)
		go func() {
			for i := range n {
				if _, err := slow.nc.Write([]byte(slow.wire(filled(large)))); err != nil {
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
			slow.wantMessages(filled(large))
		}
		slow.resets()
		s.wants(`{"event":"disconnected","peer":1}`)
		other.nc.Close()
		s.waits(`{"event":"disconnected","peer":2}`)
		s.closes()
	})
}

// wire is a message as it is sent.
func (f *far) wire(p string) string {
	if f.framed() {
		return "\x82\xff" + string([]byte{0, 0, 0, 0, byte(len(p) >> 24), byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p))}) + "\x00\x00\x00\x00" + p
	}
	return lengthed(p)
}

// TestSocketUnreadStdout: when nobody takes the events nobody's messages are taken; what is sent leaves all the same. Later
// everything is told.
func TestSocketUnreadStdout(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport)
		f := dials(t, url)
		s.wants(`{"event":"connected"}`)
		const n = 20
		sent := make(chan error, 1)
		go func() {
			for range n {
				if _, err := io.WriteString(f.nc, f.wire(filled(large))); err != nil {
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
		s.say(`{"do":"send","peer":1,"text":"hello"}`, `{"do":"send","peer":1,"fill":100000}`, `{"do":"send","peer":1,"text":"again"}`)
		f.wantMessages("hello", filled(100000), "again")
		for range n {
			s.wants(fmt.Sprintf(`{"event":"message","len":%d}`, large))
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		f.nc.Close()
		s.wants(`{"event":"disconnected"}`)
		s.closes()
	})
}

// TestSocketUnreadEnd: the end comes while nobody takes the events. When somebody does, all of them are there, in order.
func TestSocketUnreadEnd(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport, "-linger", "50ms")
		f := dials(t, url)
		s.wants(`{"event":"connected"}`)
		ended, sent := make(chan struct{}), new(atomic.Int32)
		go func() {
			defer close(ended)
			for {
				if _, err := io.WriteString(f.nc, f.wire(filled(large))); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		for before := int32(-1); before < 4 || before != sent.Load(); time.Sleep(200 * time.Millisecond) { // until it is slowed
			before = sent.Load()
		}
		s.signal(syscall.SIGTERM)
		<-ended
		time.Sleep(700 * time.Millisecond) // more than it may take
		rest := s.ends(0)
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

// TestSocketText: text goes and comes as text, where that is wanted.
func TestSocketText(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "ws", "-text", "-echo")
	f := dials(t, url)
	f.sayFrame(fin|text, "hé")
	f.sayFrame(text, "")
	f.sayFrame(fin, "")
	f.sends("b")
	s.wants(`{"event":"connected"}`, `{"event":"message","len":3,"text":"hé","kind":"text"}`, `{"text":"","kind":"text"}`)
	if e := s.wants(`{"event":"message","text":"b"}`); e["kind"] != nil {
		t.Errorf("%v", e)
	}
	s.say(`{"do":"send","peer":1,"text":"é","kind":"text"}`, `{"do":"broadcast","text":"x","kind":"text"}`,
		`{"do":"send","peer":1,"base64":"/w==","kind":"text"}`)
	s.wants(`{"event":"error"}`)
	for _, want := range []string{"hé", "", "b", "é", "x"} {
		first, p := f.hearFrame()
		if p != want || (first == fin|binaries) != (want == "b") {
			t.Errorf("frame %x %q, want %q", first, p, want)
		}
	}
	f.nc.Close()
	s.wants(`{"event":"disconnected"}`)
	s.closes()
}

// TestSocketLines: without -json lines go to everybody, and messages are shown.
func TestSocketLines(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-bind", "tcp://127.0.0.1:0", "-bind", "ws://127.0.0.1:0")
	said := func(what string) string {
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if _, rest, ok := strings.Cut(s.err.String(), what); ok && strings.Contains(rest, "\n") {
				line, _, _ := strings.Cut(rest, "\n")
				return what + line
			}
		}
		t.Fatalf("standard error: %s, want %q", s.err.String(), what)
		return ""
	}
	a := dials(t, strings.TrimPrefix(said("listening on tcp"), "listening on "))
	said("1 connected: tcp 127.0.0.1:")
	b := dials(t, strings.TrimPrefix(said("listening on ws"), "listening on "))
	said("2 connected: ws 127.0.0.1:")
	a.sends("hello", "", "two\nlines", "\xff", "é \"q\"")
	for _, want := range []string{`1< hello`, `1< `, `1< "two\nlines"`, `1< "\xff"`, `1< é "q"`} {
		if got, err := s.out.ReadString('\n'); got != want+"\n" {
			t.Errorf("shown: %q, %v, want %q", got, err, want)
		}
	}
	s.say("to all", "", "not \xff UTF-8")
	a.wantMessages("to all", "", "not \xff UTF-8")
	b.wantMessages("to all", "", "not \xff UTF-8")
	b.sayFrame(fin|closes, coded(4000, "why not"))
	said(`2 disconnected: closed 4000 "why not"`)
	a.nc.Close()
	said("1 disconnected: eof")
	s.in.Close() // a listener goes on
	c := dials(t, strings.TrimPrefix(said("listening on tcp"), "listening on "))
	said("3 connected: tcp")
	c.nc.Close()
	s.signal(os.Interrupt)
	s.ends(0)
}

// TestNotDelivered: one message is one.
func TestNotDelivered(t *testing.T) {
	if err := notDelivered(0); err != nil {
		t.Error(err)
	}
	for n, want := range map[int]string{1: "1 message was not delivered", 2000: "2,000 messages were not delivered"} {
		if err := notDelivered(n); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestSocketMaxMessageSent: -max-message bounds what is sent as well, by command and by line; what fits goes on its way.
func TestSocketMaxMessageSent(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport, "-max-message", "5")
		f := dials(t, url)
		s.wants(`{"event":"connected","peer":1}`)
		s.say(`{"do":"send","peer":1,"text":"123456","tag":1}`, `{"do":"send","peers":[1],"fill":6,"tag":2}`,
			`{"do":"broadcast","base64":"MTIzNDU2","tag":3}`, `{"do":"send","peer":1,"text":"12345","tag":4}`, `{"do":"broadcast","fill":5,"tag":5}`)
		for tag := 1; tag <= 3; tag++ {
			e := s.waits(fmt.Sprintf(`{"event":"error","tag":%d}`, tag))
			if text := e["error"].(string); !strings.HasPrefix(text, "message too large: 6 bytes") {
				t.Errorf("%d: %q", tag, text)
			}
		}
		f.wantMessages("12345", filled(5))
		s.closes()
	})
	t.Run("no bound", func(t *testing.T) {
		s, url := listens(t, "tcp", "-max-message", "0")
		f := dials(t, url)
		s.wants(`{"event":"connected","peer":1}`)
		s.say(`{"do":"send","peer":1,"fill":17000000}`)
		f.wantMessages(filled(17_000_000))
		s.closes()
	})
}

// TestSocketMaxMessageOfLines: without -json, a line that is too long is refused and told.
func TestSocketMaxMessageOfLines(t *testing.T) {
	s := runScript(t, "socket", "-bind", "tcp://127.0.0.1:0", "-max-message", "5")
	f := dials(t, "tcp://"+s.says("listening on tcp://"))
	s.says("1 connected")
	s.say("123456", "12345")
	f.wantMessages("12345")
	s.says("shockwave: message too large: 6 bytes")
	s.signal(syscall.SIGKILL)
}
