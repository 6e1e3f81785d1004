package http2

import "testing"

// cancelClient returns a client whose server has sent its SETTINGS, and a function that opens a stream with GET.
func cancelClient(t *testing.T, cfg Config) (c *Conn, open func() *Stream) {
	t.Helper()
	c = NewClient(&cfg, 1)
	feedClient(t, c, FrameHeader{Type: FrameSettings}.Append(nil))
	return c, func() *Stream {
		t.Helper()
		s, err := c.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		c.AppendHeaders(nil, s, []Field{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "http"},
			{Name: ":authority", Value: "a"}, {Name: ":path", Value: "/"}}, true)
		return s
	}
}

// feedClient feeds bytes to c until it returns no more events, and returns the connection's error.
func feedClient(t *testing.T, c *Conn, in []byte) error {
	t.Helper()
	for {
		ev, n, err := c.Next(in, 1)
		if in = in[n:]; err != nil || ev.Kind == EventNone {
			return err
		}
	}
}

// Neither our own resets, nor frames that were sent before the server saw them, cost the server
// budget.
func TestClientCancelsFree(t *testing.T) {
	c, open := cancelClient(t, Config{})
	late := func(id uint32) []byte {
		b := FrameHeader{Length: 1, Type: FrameHeaders, Flags: FlagEndHeaders, Stream: id}.Append(nil)
		b = append(b, 0x88)
		for range 3 {
			b = append(FrameHeader{Length: 16384, Type: FrameData, Stream: id}.Append(b), make([]byte, 16384)...)
		}
		return b
	}
	for range 3000 {
		s := open()
		id := s.ID()
		c.Release(s)
		if err := feedClient(t, c, late(id)); err != nil {
			t.Fatal(err)
		}
		c.AppendPending(nil)
	}
}

// Late frames on streams that ended are not free forever.
func TestClientLateFlood(t *testing.T) {
	c, open := cancelClient(t, Config{})
	s := open()
	id := s.ID()
	c.Release(s)
	for n := 0; ; n++ {
		b := append(FrameHeader{Length: 1, Type: FrameData, Stream: id}.Append(nil), 'x')
		err := feedClient(t, c, b)
		c.AppendPending(nil)
		switch {
		case err == errCalm && n > defaultWindow/leastLate:
			return
		case err != nil || n > defaultWindow/leastLate+2000:
			t.Fatal(n, err)
		}
	}
}

// A server may reset every stream that we open.
func TestClientResetsFree(t *testing.T) {
	c, open := cancelClient(t, Config{})
	for range 3000 {
		s := open()
		if err := feedClient(t, c, append(FrameHeader{Length: 4, Type: FrameRSTStream, Stream: s.ID()}.Append(nil), 0, 0, 0, 7)); err != nil {
			t.Fatal(err)
		}
		c.Release(s)
	}
}

// Room returns how many streams may be opened.
func TestRoom(t *testing.T) {
	c, open := cancelClient(t, Config{})
	want := func(n int) {
		t.Helper()
		if got := c.Room(); got != n {
			t.Errorf("got %d, want %d", got, n)
		}
	}
	if got := NewClient(&Config{}, 1).Room(); got != 100 {
		t.Errorf("before the server's SETTINGS: %d", got)
	}
	want(1000) // the SETTINGS did not set it
	feedClient(t, c, appendSetting(FrameHeader{Length: 6, Type: FrameSettings}.Append(nil), settingMaxStreams, 2))
	want(2)
	a := open()
	want(1)
	open()
	want(0)
	if _, err := c.Open(nil); err != ErrTooManyStreams {
		t.Errorf("got %v", err)
	}
	c.Release(a)
	want(1)
	feedClient(t, c, FrameHeader{Type: FrameSettings}.Append(nil))
	want(1) // the earlier value still holds
	feedClient(t, c, appendSetting(FrameHeader{Length: 6, Type: FrameSettings}.Append(nil), settingMaxStreams, 100))
	feedClient(t, c, FrameHeader{Type: FrameSettings}.Append(nil))
	want(99)
	c.Shutdown(1)
	want(0)
	if got := NewServer(&Config{}, 1).Room(); got != 0 {
		t.Errorf("a server has room for %d", got)
	}
}

// The connection's window begins at ConnWindow.
func TestConnWindow(t *testing.T) {
	c := NewClient(&Config{ConnWindow: 1 << 20, MaxConnWindow: 1 << 20}, 1)
	out := c.AppendPending(nil)
	want := appendWindowUpdate(nil, 0, 1<<20-defaultWindow)
	if len(out) < len(want) || string(out[len(out)-len(want):]) != string(want) {
		t.Errorf("got %x, want it to end with %x", out, want)
	}
}
