package http2

import "testing"

// leftBehind responds to a POST with a content-length of ten of which two bytes have arrived, and releases it.
func leftBehind(t *testing.T, cfg Config) *talk {
	t.Helper()
	tk := server(t, cfg)
	tk.send(tk.post(1, "content-length: 10") + data(1, 0, "ab"))
	tk.want("Headers 1 POST https example.com / content-length=10", `Data 1 "ab"`)
	s := streamOf(tk.c, 1)
	tk.respond(s)
	tk.c.Release(s)
	tk.silent()
	tk.says()
	if tk.c.Len() != 0 || streamOf(tk.c, 1) != nil {
		t.Errorf("%d streams are not released", tk.c.Len())
	}
	for s := range tk.c.Streams {
		t.Errorf("stream %d is not released", s.ID())
	}
	return tk
}

// gone checks that the stream is gone, and that all its data was given back to the window.
func (tk *talk) gone() {
	tk.t.Helper()
	c := tk.c
	if c.core.streams.counts[tallyDiscarding] != 0 || c.core.streams.n != 0 || c.core.streams.active() != 0 || c.core.streams.counts[tallyComplete] != 0 {
		tk.t.Errorf("left %d, in the table %d, active %d, complete %d", c.core.streams.counts[tallyDiscarding], c.core.streams.n, c.core.streams.active(), c.core.streams.counts[tallyComplete])
	}
	if n := c.core.recv.left + c.core.recv.consumed; n != c.core.recv.max {
		tk.t.Errorf("%d bytes of the connection's window are lost", c.core.recv.max-n)
	}
}

// The rest of a request that got its response is discarded if all of it may be on its way, so that the client does
// not take a reset for a failure.
func TestLeft(t *testing.T) {
	for name, tc := range map[string]struct {
		rest func(tk *talk) string
		says []string
		why  string // why the rest is refused, if it is
	}{
		"with the end":         {func(*talk) string { return data(1, FlagEndStream, "cdefghij") }, nil, ""},
		"in pieces":            {func(*talk) string { return data(1, 0, "cdef") + data(1, 0, "ghi") + data(1, FlagEndStream, "j") }, nil, ""},
		"an empty frame's end": {func(*talk) string { return data(1, 0, "cdefghij") + data(1, FlagEndStream, "") }, nil, ""},
		"without the end":      {func(*talk) string { return data(1, 0, "cdefghij") }, nil, ""},
		"padded":               {func(*talk) string { return data(1, FlagPadded|FlagEndStream, "\x03cdefghij\x00\x00\x00") }, nil, ""},
		"trailers": {func(tk *talk) string {
			return data(1, 0, "cdefghi") + data(1, 0, "j") + frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, tk.block("x-sum: 1"))
		}, nil, ""},
		"given up":    {func(*talk) string { return data(1, 0, "cd") + reset(1, ErrCodeCancel) }, nil, ""},
		"windows":     {func(*talk) string { return windowUpdate(1, 500) + data(1, FlagEndStream, "cdefghij") }, nil, ""},
		"more":        {func(*talk) string { return data(1, FlagEndStream, "cdefghijk") }, []string{"RST_STREAM 1 PROTOCOL_ERROR"}, "more DATA than content-length says"},
		"less":        {func(*talk) string { return data(1, FlagEndStream, "cdefghi") }, []string{"RST_STREAM 1 PROTOCOL_ERROR"}, "less DATA than content-length says"},
		"a wrong one": {func(*talk) string { return windowUpdate(1, 0) }, []string{"RST_STREAM 1 PROTOCOL_ERROR"}, "WINDOW_UPDATE of 0"},
	} {
		t.Run(name, func(t *testing.T) {
			for cut := range 12 {
				tk := leftBehind(t, Config{})
				tk.cut = cut
				tk.send(tc.rest(tk))
				if tc.why != "" {
					tk.want("Refused PROTOCOL_ERROR (" + tc.why + ")")
				}
				tk.silent()
				tk.says(tc.says...)
				tk.gone()
				tk.send(tk.get(3))
				tk.want("Headers 3 GET https example.com / END")
			}
		})
	}
}

// If the rest does not arrive in time, the stream is reset.
func TestLeftForLong(t *testing.T) {
	tk := leftBehind(t, Config{})
	if at := tk.c.Deadline(); at != tk.now+discardTimeout {
		t.Errorf("it is due at %d, now is %d", at, tk.now)
	}
	tk.now += discardTimeout / 2
	tk.send(tk.post(3, "content-length: 10") + data(1, 0, "c"))
	tk.want("Headers 3 POST https example.com / content-length=10")
	tk.c.Release(tk.respond(streamOf(tk.c, 3)))
	for i, want := range [][]string{{"RST_STREAM 1 NO_ERROR"}, {"RST_STREAM 3 NO_ERROR"}} {
		tk.now += discardTimeout/2 - 1
		if ev, err := tk.c.Tick(tk.now); ev.Kind != EventNone || err != nil {
			t.Fatal(ev.Kind, err)
		}
		tk.says()
		tk.now++
		if ev, err := tk.c.Tick(tk.now); ev.Kind != EventNone || err != nil {
			t.Fatal(ev.Kind, err)
		}
		tk.says(want...)
		if int(tk.c.core.streams.counts[tallyDiscarding]) != 1-i {
			t.Errorf("%d are left", tk.c.core.streams.counts[tallyDiscarding])
		}
	}
	tk.send(data(1, 0, "defg") + data(3, 0, "abcdef"))
	tk.silent()
	tk.gone()
	if at := tk.c.Deadline(); at != 0 {
		t.Errorf("something is due at %d", at)
	}
}

// A discarded stream counts for MaxStreams, but does not delay the end of the connection.
func TestLeftCounts(t *testing.T) {
	tk := leftBehind(t, Config{MaxStreams: 1})
	tk.send(tk.get(3))
	tk.want("Refused REFUSED_STREAM (more streams than SETTINGS_MAX_CONCURRENT_STREAMS)")
	tk.silent()
	tk.says("RST_STREAM 3 REFUSED_STREAM")
	tk.c.Shutdown(tk.now)
	tk.c.AppendPending(nil)
	tk.send(frame(FramePing, FlagAck, 0, "\x80\x00\x00\x00\x00\x00\x00\x02"))
	tk.silent()
	if !tk.c.Drained() {
		t.Error("the connection waits for a frame that it ignores")
	}
}
