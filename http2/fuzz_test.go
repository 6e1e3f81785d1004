package http2

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
)

// script makes frames from a fuzzer's bytes. Most of them are well-formed, so that the state machine is reached.
type script struct{ b []byte }

func (s *script) byte() byte {
	if len(s.b) == 0 {
		return 0
	}
	c := s.b[0]
	s.b = s.b[1:]
	return c
}

func (s *script) bytes(n int) string {
	n = min(n, len(s.b))
	p := s.b[:n]
	s.b = s.b[n:]
	return string(p)
}

// frame returns the next frame. The peer's encoder is the talk's.
func (s *script) frame(tk *talk) string {
	op, id := s.byte(), uint32(s.byte()%16)
	flags := Flags(s.byte())
	switch op % 14 {
	case 0:
		return tk.get(id)
	case 1:
		return tk.post(id, fmt.Sprint("content-length: ", s.byte()))
	case 2:
		return frame(FrameHeaders, FlagEndHeaders|flags&FlagEndStream, id, tk.block(":status: "+[]string{"100", "200", "204"}[s.byte()%3]))
	case 3:
		return frame(FrameHeaders, FlagEndHeaders|FlagEndStream, id, tk.block("a: b"))
	case 4:
		return data(id, flags&(FlagEndStream|FlagPadded), s.bytes(int(s.byte())))
	case 5:
		return reset(id, ErrCode(s.byte()))
	case 6:
		return windowUpdate(id, 1<<(s.byte()%32)-uint32(s.byte()%2))
	case 7:
		return settings(uint32(s.byte()%10), 1<<(s.byte()%32)-uint32(s.byte()%2))
	case 8:
		return frame(FramePing, flags&FlagAck, 0, s.bytes(8))
	case 9:
		return frame(FrameGoAway, 0, 0, u32(id)+u32(uint32(s.byte()))+s.bytes(int(s.byte())))
	case 10:
		return frame(FramePriorityUpdate, 0, 0, u32(id)+s.bytes(int(s.byte()%20)))
	case 11:
		return frame(FrameHeaders, flags&^FlagEndHeaders, id, s.bytes(int(s.byte()))) + frame(FrameContinuation, flags, id, s.bytes(int(s.byte())))
	}
	return frame(FrameType(s.byte()), flags, id, s.bytes(int(s.byte())))
}

// FuzzConn connects an owner and a peer that both act as the bytes say. The invariants are in checkConn.
func FuzzConn(f *testing.F) {
	f.Add(true, []byte("\x00\x01\x00\x40\x00\x80\x03\x01\x00\x42"))
	f.Add(false, []byte("\x82\x00\x00\x02\x01\x01\x01\x04\x01\x00\x05hello"))
	f.Add(true, []byte("\x01\x03\x00\x09\x04\x03\x01\x05hello\x40\x00\x45\x00\x06\x03\x00\x08\x00"))
	f.Fuzz(func(t *testing.T, isClient bool, b []byte) {
		cfg := Config{InitialWindow: 300, MaxConnWindow: 70_000, MaxStreams: 3, MaxHeaderList: 2000, MaxPending: 4000}
		tk := &talk{t: t, c: NewServer(&cfg, 1), now: 1}
		first := Preface + settings()
		if isClient {
			tk.c, first = NewClient(&cfg, 1), settings()
		}
		tk.send(first)
		s := &script{b}
		for len(s.b) > 0 {
			if op := s.byte(); op < 0x80 {
				tk.send(s.frame(tk))
				tk.cut = int(op)
			} else {
				tk.own(s, op)
			}
			for {
				ev, n, err := tk.c.Next(tk.in, tk.now)
				tk.in = tk.in[n:]
				checkConn(t, tk.c)
				if err != nil {
					if !tk.c.Drained() || err != error(tk.c.core.err) {
						t.Fatal("the connection has an error, but is not over")
					}
					return
				}
				if ev.Kind == EventNone {
					break
				}
				checkEvent(t, ev)
			}
			if len(tk.in) > 300 {
				t.Fatalf("%d bytes were not taken", len(tk.in))
			}
		}
	})
}

// own does something that an owner may do.
func (tk *talk) own(s *script, op byte) {
	c := tk.c
	tk.now += int64(s.byte()) * 100 * msec
	st := streamOf(c, uint32(s.byte()%16))
	switch op % 16 {
	case 0:
		if st, err := c.Open(nil); err == nil {
			c.AppendHeaders(nil, st, fieldsOf(getLines...), op&16 != 0)
		}
		return
	case 1:
		c.AppendPending(nil)
		return
	case 2:
		c.Tick(tk.now)
		return
	case 3:
		c.Shutdown(tk.now)
		return
	case 4:
		c.Trim()
		return
	case 5:
		if next := c.NextSender(); next != nil {
			if next.turn == turnNone || next.send.left <= 0 || c.core.send.left <= 0 {
				tk.t.Fatal("NextSender returned a stream that cannot send")
			}
			c.AppendData(nil, next, make([]byte, int(s.byte())*100), op&16 != 0, tk.now)
		}
		return
	}
	if st == nil {
		return
	}
	switch op % 16 {
	case 6:
		c.Release(st)
	case 7:
		c.Reset(st, ErrCodeCancel)
	case 8:
		c.Ready(st, tk.now)
	case 9:
		c.Unready(st)
	case 10:
		c.Consumed(st, int(s.byte()), tk.now)
	case 11:
		c.SetPriority(st, PriorityParams{s.byte() % 8, op&16 != 0})
	case 12:
		c.AppendHeaders(nil, st, fieldsOf(":status: 200"), op&16 != 0)
	case 13:
		c.AppendData(nil, st, make([]byte, s.byte()), op&16 != 0, tk.now)
	}
}

// checkConn checks the invariants between two calls.
func checkConn(t *testing.T, c *Conn) {
	t.Helper()
	n, active, held, queued := 0, uint32(0), int64(0), 0
	for s := range c.Streams {
		n++
		if !s.phase.closed() {
			active++
		}
		if s.turn.queued() {
			queued++
		}
		if s.turn.queued() != (s.turn != turnNone && s.send.left > 0) {
			t.Fatalf("stream %d: turn %d, window %d", s.id, s.turn, s.send.left)
		}
		if s.unconsumed < 0 || s.recv.consumed < 0 {
			t.Fatalf("stream %d: held %d, spent %d", s.id, s.unconsumed, s.recv.consumed)
		}
		held += int64(s.unconsumed)
	}
	inQueues := 0
	if c.core.sched.queues != nil {
		for _, u := range c.core.sched.queues {
			for _, first := range u {
				for s := first; s != nil; {
					inQueues++
					if s = s.next; s == first {
						break
					}
				}
			}
		}
	}
	switch {
	case n != c.Len() || active != c.core.streams.active() || queued != inQueues:
		t.Fatalf("streams %d of %d, active %d of %d, queued %d of %d", n, c.Len(), active, c.core.streams.active(), queued, inQueues)
	case c.core.recv.left < 0 || held > int64(c.core.cfg.MaxConnWindow):
		t.Fatalf("window %d, held %d", c.core.recv.left, held)
	case !c.core.client && n > int(c.core.cfg.MaxStreams):
		t.Fatalf("%d streams", n)
	case len(c.core.out) > int(c.core.cfg.MaxPending)+300 || c.core.streams.nfree > maxFree:
		t.Fatalf("%d bytes pending, %d structs", len(c.core.out), c.core.streams.nfree)
	}
	// The window is what the peer may send, plus what is not consumed, plus what is consumed without WINDOW_UPDATE.
	if c.core.err == nil && (c.work == nil || c.work.recv.frame.left == 0) && int64(c.core.recv.left)+held+int64(c.core.recv.consumed) != int64(c.core.recv.max) {
		t.Fatalf("window %d, held %d, spent %d, but %d in all", c.core.recv.left, held, c.core.recv.consumed, c.core.recv.max)
	}
}

func checkEvent(t *testing.T, ev Event) {
	t.Helper()
	switch ev.Kind {
	case EventHeaders, EventInformational, EventTrailers:
		if ev.Head == nil || ev.Stream == nil {
			t.Fatal("headers without a head")
		}
	case EventData, EventReset, EventPriority, EventHeadersTooLarge:
		if ev.Stream == nil {
			t.Fatal("no stream")
		}
	}
	if ev.Kind == EventRefused && (ev.Stream != nil || ev.Err == nil || ev.Err.Code != ev.Code || ev.Err.Name == "") {
		t.Fatal("a refusal without the stream and the reason")
	}
	if ev.Kind == EventReset && ev.Stream.State() != StateClosed {
		t.Fatal("the stream was reset, but is not closed")
	}
	if ev.EndStream && ev.Stream.phase.mayReceive() {
		t.Fatal("the stream has ended, but may receive")
	}
}

// FuzzSplit feeds the same bytes at once and cut: the events and the output must be the same.
func FuzzSplit(f *testing.F) {
	tk := &talk{}
	f.Add([]byte(tk.post(1, "content-length: 5")+data(1, FlagPadded|FlagEndStream, "\x03helloxxx")+tk.get(3)), byte(1))
	f.Add([]byte(settings(1, 100, 4, 7)+frame(FrameHeaders, FlagPriority, 1, u32(3)+"\x10\x82")+frame(FrameContinuation, FlagEndHeaders, 1, "\x84\x87\x01\x01a")), byte(2))
	f.Add([]byte(frame(0xbe, 0, 7, "whatever")+frame(FrameGoAway, 0, 0, "12345678debug")+frame(FramePing, 0, 0, "12345678")), byte(7))
	f.Fuzz(func(t *testing.T, b []byte, cut byte) {
		run := func(cut int) string {
			tk := &talk{t: t, c: NewServer(&Config{}, 1), now: 1}
			tk.c.AppendPending(nil)
			tk.send(Preface + settings() + string(b))
			var log strings.Builder
			inData := false
			for {
				in := tk.in[:min(len(tk.in), max(cut, 1))]
				ev, n, err := tk.c.Next(in, tk.now)
				tk.in = tk.in[n:]
				if ev.Kind == EventData && !ev.EndStream && len(ev.Data) == 0 {
					t.Fatal("empty data")
				}
				switch {
				case err != nil:
					fmt.Fprintln(&log, err)
				case ev.Kind == EventData:
					if !inData {
						fmt.Fprintf(&log, "data %d ", ev.Stream.ID())
					}
					fmt.Fprintf(&log, "%x", ev.Data)
				case ev.Kind == EventGoAway:
					fmt.Fprintf(&log, "goaway %d %v\n", ev.LastStream, ev.Code)
				case ev.Kind != EventNone:
					fmt.Fprintln(&log, "", describe(ev))
				}
				inData = ev.Kind == EventData && !ev.EndStream || inData && ev.Kind == EventNone
				if err != nil || n == 0 && ev.Kind == EventNone && len(in) == len(tk.in) {
					break
				}
				if n == 0 && ev.Kind == EventNone {
					cut++
				}
			}
			fmt.Fprintf(&log, "\n%x", tk.c.AppendPending(nil))
			return log.String()
		}
		whole := run(1 << 30)
		if parts := run(int(cut%64) + 1); parts != whole {
			t.Fatalf("cut:\n%s\nat once:\n%s", parts, whole)
		}
	})
}

// FuzzFramer lets golang.org/x/net/http2 read the same bytes: the headers of frames that it accepts must be the same
// here, and frames that it refuses for their form must be refused here.
func FuzzFramer(f *testing.F) {
	tk := &talk{}
	for _, s := range []string{
		tk.get(1), data(1, FlagPadded, "\x01ab"), reset(1, ErrCodeCancel), windowUpdate(0, 5), settings(4, 5), frame(FramePing, 0, 0, "12345678"),
		frame(FrameGoAway, 0, 0, "12345678x"), frame(FramePriority, 0, 1, "12345"), frame(FrameContinuation, 4, 1, "x"), data(1, FlagPadded, "\x09a"),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < FrameHeaderLen {
			return
		}
		h := ParseFrameHeader(b)
		if !bytes.Equal(h.Append(nil)[:5], b[:5]) {
			t.Fatalf("%v became %x", h, h.Append(nil))
		}
		if int(h.Length) > len(b)-FrameHeaderLen || h.Length > minFrameSize {
			return
		}
		fr := xhttp2.NewFramer(io.Discard, bytes.NewReader(b))
		got, theirs := fr.ReadFrame()
		if theirs == nil {
			x := got.Header()
			if x.Length != h.Length || uint8(x.Type) != uint8(h.Type) || uint8(x.Flags) != uint8(h.Flags) || x.StreamID != h.Stream {
				t.Fatalf("%v, and %v there", h, x)
			}
		}
		ours := error(nil)
		if err := checkShape(h, h.Type == FrameContinuation); err != nil && err != errPush {
			ours = err
		}
		// The length of PRIORITY and a WINDOW_UPDATE of 0 are errors of a stream, which are found later here.
		if h.Type == FramePriority || h.Type == FrameWindowUpdate || h.Type == FramePushPromise || h.Type > 0x9 {
			return
		}
		padded := ours == nil && (h.Type == FrameData || h.Type == FrameHeaders) && h.Flags&FlagPadded != 0
		if padded && uint32(b[9]) > h.Length-prelude(h) {
			ours = errPadding
		}
		if h.Type == FrameSettings && ours == nil && h.Flags&FlagAck == 0 && theirs != nil {
			return // values are looked at one by one here
		}
		if h.Type == FrameContinuation && ours == nil || h.Type == FrameHeaders && ours == nil && h.Flags&FlagEndHeaders == 0 {
			return // they want the block's order
		}
		if (ours == nil) != (theirs == nil) {
			t.Fatalf("%v: %v here, %v there", h, ours, theirs)
		}
	})
}
