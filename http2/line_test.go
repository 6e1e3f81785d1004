package http2

import (
	"fmt"
	"testing"
)

// line is a client and a server of ours, and a line between them on which bytes take a while. Its time is its own.
type line struct {
	t     *testing.T
	now   int64
	delay int64 // nanoseconds, one way
	ends  [2]*lineEnd
}

// lineEnd is one end of a line.
type lineEnd struct {
	*Conn
	l      *line
	out    []byte           // what its owner has appended
	coming []packet         // on the line
	event  func(ev Event)   // what its owner does at an event; not called for SETTINGS and the like
	turn   func()           // what its owner does every millisecond
	owned  map[*Stream]*use // its streams
}

type packet struct {
	at    int64
	bytes []byte
}

// use is the owner's record of a stream.
type use struct {
	call int
	left int   // bytes to send
	at   int64 // when something is due
}

func newLine(t *testing.T, roundTrip int64, ofClient, ofServer Config) *line {
	l := &line{t: t, now: 1, delay: roundTrip / 2}
	nothing := func() {}
	l.ends[0] = &lineEnd{l: l, Conn: NewClient(&ofClient, 1), turn: nothing, owned: map[*Stream]*use{}}
	l.ends[1] = &lineEnd{l: l, Conn: NewServer(&ofServer, 1), turn: nothing, owned: map[*Stream]*use{}}
	return l
}

// run lets time pass until done, at most that many nanoseconds.
func (l *line) run(most int64, done func() bool) {
	l.t.Helper()
	for end := l.now + most; l.now < end; l.now += msec {
		if done() {
			return
		}
		for i, e := range l.ends {
			for len(e.coming) > 0 && e.coming[0].at <= l.now {
				e.take(e.coming[0].bytes)
				e.coming = e.coming[1:]
			}
			e.turn()
			if e.out = e.AppendPending(e.out); len(e.out) > 0 {
				other := l.ends[1-i]
				other.coming = append(other.coming, packet{l.now + l.delay, e.out})
				e.out = nil
			}
		}
	}
	if !done() {
		l.t.Fatal("not all was done in time")
	}
}

func (e *lineEnd) take(in []byte) {
	e.l.t.Helper()
	for {
		ev, n, err := e.Next(in, e.l.now)
		if err != nil {
			e.l.t.Fatalf("client %v: %v", e.core.client, err)
		}
		in = in[n:]
		switch ev.Kind {
		case EventNone:
			return
		case EventHeaders, EventData, EventTrailers, EventReset:
			e.event(ev)
		}
	}
}

// open begins a request, and returns nil if the server takes no more.
func (e *lineEnd) open(call, left int) *Stream {
	s, err := e.Open(nil)
	if err != nil {
		return nil
	}
	e.owned[s] = &use{call, left, e.l.now}
	e.out = e.AppendHeaders(e.out, s, fieldsOf(":method: POST", ":scheme: https", ":authority: a", ":path: /"), left == 0)
	return s
}

// respond sends a head, and ends our message if end is set.
func (e *lineEnd) respond(s *Stream, status int, end bool) {
	e.out = e.AppendHeaders(e.out, s, fieldsOf(fmt.Sprint(":status: ", status)), end)
}

// part sends n bytes of a body at most, and its end with the last.
func (e *lineEnd) part(s *Stream, u *use, n int) {
	n = min(n, u.left)
	e.out, n = e.AppendData(e.out, s, lineBytes[:n], n == u.left, e.l.now)
	u.left -= n
}

func (e *lineEnd) drop(s *Stream) {
	delete(e.owned, s)
	e.Release(s)
}

// No end of ours ends a connection because of what honest owners do.
func TestHonestPeersOverALine(t *testing.T) {
	for name, play := range map[string]func(t *testing.T, roundTrip int64){
		"a download that is read late, in small pieces":          lateReader,
		"an upload that is read late, in small pieces":           lateUpload,
		"50 calls at once with a deadline of 200 ms":             func(t *testing.T, d int64) { deadlines(t, d, 200*msec) },
		"50 calls at once with a deadline of 20 ms":              func(t *testing.T, d int64) { deadlines(t, d, 20*msec) },
		"small frames of bodies that are turned away":            turnedAway,
		"120 uploads in frames of 10 bytes where 10 are allowed": fewAllowed,
	} {
		for _, roundTrip := range []int64{50 * msec, msec} {
			t.Run(fmt.Sprintf("%s, %d ms", name, roundTrip/msec), func(t *testing.T) { play(t, roundTrip) })
		}
	}
}

const lineBody = 1 << 20

var lineBytes [lineBody]byte

func lateReader(t *testing.T, roundTrip int64) {
	l := newLine(t, roundTrip, Config{InitialWindow: lineBody / 2, MaxConnWindow: lineBody}, Config{})
	client, server := l.ends[0], l.ends[1]
	got := 0
	server.event = func(ev Event) {
		server.owned[ev.Stream] = &use{left: lineBody}
		server.respond(ev.Stream, 200, false)
	}
	server.turn = func() {
		for s, u := range server.owned {
			server.part(s, u, lineBody)
			if u.left == 0 {
				server.drop(s)
			}
		}
	}
	client.event = func(Event) {}
	s := client.open(0, 0)
	client.turn = func() {
		for range 40 {
			if k := min(300, s.Unconsumed()); l.now > 300*msec && k > 0 {
				client.Consumed(s, k, l.now)
				got += k
			}
		}
	}
	l.run(60*second, func() bool { return got == lineBody })
}

func lateUpload(t *testing.T, roundTrip int64) {
	l := newLine(t, roundTrip, Config{}, Config{InitialWindow: lineBody / 2, MaxConnWindow: lineBody})
	client, server := l.ends[0], l.ends[1]
	got := 0
	client.event = func(Event) {}
	server.event = func(Event) {}
	s := client.open(0, lineBody)
	client.turn = func() { client.part(s, client.owned[s], lineBody) }
	server.turn = func() {
		for s := range server.Streams {
			if k := min(12_000, s.Unconsumed()); l.now > 300*msec && k > 0 {
				server.Consumed(s, k, l.now)
				got += k
			}
		}
	}
	l.run(60*second, func() bool { return got == lineBody })
}

// deadlines has 50 calls run into their deadlines again and again, and a healthy stream beside them.
func deadlines(t *testing.T, roundTrip, deadline int64) {
	l := newLine(t, roundTrip, Config{}, Config{})
	client, server := l.ends[0], l.ends[1]
	server.event = func(ev Event) {
		if ev.Kind == EventReset {
			server.Release(ev.Stream)
		}
	}
	client.event = func(ev Event) { t.Errorf("the server resets: %v", ev.Code) }
	calls := 0
	healthy := client.open(-1, 0)
	client.turn = func() {
		for s, u := range client.owned {
			if s != healthy && l.now >= u.at+deadline {
				client.drop(s)
			}
		}
		for len(client.owned) < 51 {
			client.open(calls, 0)
			calls++
		}
	}
	l.run(20*second, func() bool { return l.now > 5*second })
}

// turnedAway streams small frames until the response comes, again and again.
func turnedAway(t *testing.T, roundTrip int64) {
	l := newLine(t, roundTrip, Config{}, Config{})
	client, server := l.ends[0], l.ends[1]
	server.event = func(ev Event) {
		switch ev.Kind {
		case EventHeaders:
			server.respond(ev.Stream, 429, true)
			server.Release(ev.Stream)
		case EventReset:
			server.Release(ev.Stream)
		}
	}
	turns := 0
	client.event = func(ev Event) {
		if client.owned[ev.Stream] != nil {
			client.drop(ev.Stream)
			turns++
		}
	}
	client.turn = func() {
		if len(client.owned) == 0 {
			client.open(turns, lineBody)
		}
		for s, u := range client.owned {
			for range 50 {
				client.part(s, u, 11)
			}
		}
	}
	l.run(20*second, func() bool { return turns >= 100 })
}

// fewAllowed uploads in small frames. What is refused is tried again.
func fewAllowed(t *testing.T, roundTrip int64) {
	const calls, size = 120, 500
	l := newLine(t, roundTrip, Config{}, Config{MaxStreams: 10})
	client, server := l.ends[0], l.ends[1]
	server.event = func(ev Event) {
		switch ev.Kind {
		case EventData:
			server.Consumed(ev.Stream, len(ev.Data), l.now)
		case EventReset:
			t.Errorf("the client resets: %v", ev.Code)
		}
		if ev.EndStream {
			server.respond(ev.Stream, 200, true)
			server.Release(ev.Stream)
		}
	}
	var waiting []int
	for call := range calls {
		waiting = append(waiting, call)
	}
	done := 0
	client.event = func(ev Event) {
		u := client.owned[ev.Stream]
		switch {
		case ev.Kind == EventReset && ev.Code == ErrCodeRefusedStream:
			waiting = append(waiting, u.call)
		case ev.Kind == EventHeaders && ev.EndStream:
			done++
		default:
			t.Errorf("event %s", describe(ev))
		}
		client.drop(ev.Stream)
	}
	client.turn = func() {
		for len(waiting) > 0 && client.open(waiting[0], size) != nil {
			waiting = waiting[1:]
		}
		for s, u := range client.owned {
			if u.left > 0 {
				client.part(s, u, 10)
			}
		}
	}
	l.run(20*second, func() bool { return done == calls })
}
