package http2

import (
	"strings"
	"testing"
)

// floods are what hostile peers send repeatedly. Each must be cut off within 1,000 frames, or as many as within says, on a
// connection on which nothing else happens.
var floods = []struct {
	name   string
	once   func(tk *talk, i uint32) string
	each   func(tk *talk, i uint32) // called after each step, as a server would act meanwhile
	busy   bool                     // the owner does not release streams
	pause  int64                    // nanoseconds between two steps
	within int                      // frames; 0: 1,000
}{
	{name: "PING", once: func(*talk, uint32) string { return frame(FramePing, 0, 0, "12345678") }},
	{name: "PING ack", once: func(*talk, uint32) string { return frame(FramePing, FlagAck, 0, "12345678") }},
	{name: "SETTINGS", once: func(*talk, uint32) string { return settings() }},
	{name: "SETTINGS ack", once: func(*talk, uint32) string { return frame(FrameSettings, FlagAck, 0, "") }},
	{name: "SETTINGS window up and down", once: func(_ *talk, i uint32) string { return settings(settingWindow, i%2) }},
	{name: "PRIORITY", once: func(_ *talk, i uint32) string { return frame(FramePriority, 0, 2*i+1, u32(0)+"\x01") }},
	{name: "PRIORITY_UPDATE", once: func(_ *talk, i uint32) string {
		return frame(FramePriorityUpdate, 0, 0, u32(2*i+1)+"u=1")
	}},
	{name: "WINDOW_UPDATE of the connection", once: func(*talk, uint32) string { return windowUpdate(0, 1000) }},
	{name: "GOAWAY", once: func(*talk, uint32) string { return frame(FrameGoAway, 0, 0, u32(0)+u32(0)) }},
	{name: "unknown", once: func(*talk, uint32) string { return frame(0xbe, 0, 0, "") }},
	{name: "WINDOW_UPDATE of 1 behind a download", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.get(1)
		}
		return windowUpdate(0, 1)
	}, each: func(tk *talk, i uint32) {
		if i == 0 {
			tk.download(1, 16<<10)
		}
	}},
	{name: "WINDOW_UPDATE on a stream that has ended, beyond what it got", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.get(1)
		}
		return windowUpdate(1, 1000)
	}, each: func(tk *talk, i uint32) {
		if i == 0 {
			tk.download(1, 1000)
		}
	}},
	{name: "RST_STREAM on a stream that has ended", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.get(1)
		}
		return reset(1, ErrCodeCancel)
	}, each: func(tk *talk, i uint32) {
		if i == 0 {
			tk.download(1, 1000)
		}
	}},
	{name: "rapid reset", once: func(tk *talk, i uint32) string { return tk.get(2*i+1) + reset(2*i+1, ErrCodeCancel) }},
	{name: "rapid reset in batches of 50", pause: 9 * msec, once: func(tk *talk, i uint32) (s string) {
		for k := range uint32(25) {
			s += tk.get(50*i+2*k+1) + reset(50*i+2*k+1, ErrCodeCancel)
		}
		return s
	}},
	{name: "requests that are reset a millisecond later", pause: msec, once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.get(1)
		}
		return reset(2*i-1, ErrCodeCancel) + tk.get(2*i+1)
	}},
	{name: "rapid reset while the handlers go on", busy: true, once: func(tk *talk, i uint32) string {
		return tk.get(2*i+1) + reset(2*i+1, ErrCodeCancel)
	}},
	{name: "rapid reset behind a whole response that no window lets out",
		once: func(tk *talk, i uint32) string {
			if i == 0 {
				return settings(settingWindow, 0) + tk.get(1)
			}
			return reset(2*i-1, ErrCodeCancel) + tk.get(2*i+1)
		},
		each: func(tk *talk, i uint32) {
			if s := streamOf(tk.c, 2*i+1); s != nil {
				out := tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
				tk.c.Ready(s, tk.now)
				tk.c.AppendData(out, s, make([]byte, 100), true, tk.now)
			}
		}},
	{name: "made-you-reset by WINDOW_UPDATE of 0", once: func(tk *talk, i uint32) string {
		return tk.get(2*i+1) + windowUpdate(2*i+1, 0)
	}},
	{name: "made-you-reset by a window above 2^31-1", once: func(tk *talk, i uint32) string {
		return tk.get(2*i+1) + windowUpdate(2*i+1, maxWindow)
	}},
	{name: "made-you-reset by DATA behind END_STREAM", once: func(tk *talk, i uint32) string {
		return tk.get(2*i+1) + data(2*i+1, 0, "x")
	}},
	{name: "made-you-reset by PRIORITY of a wrong length", once: func(tk *talk, i uint32) string {
		return tk.get(2*i+1) + frame(FramePriority, 0, 2*i+1, "1234")
	}},
	{name: "malformed requests", once: func(tk *talk, i uint32) string { return tk.get(2*i+1, "connection: close") }},
	{name: "empty names", once: func(tk *talk, i uint32) string {
		return frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 2*i+1, "\x00\x00\x00")
	}},
	{name: "more streams than there may be", once: func(tk *talk, i uint32) string { return tk.get(2*i + 1) }},
	{name: "empty DATA", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.post(1)
		}
		return data(1, 0, "")
	}},
	{name: "DATA of padding", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.post(1)
		}
		return data(1, FlagPadded, "\x05\x00\x00\x00\x00\x00")
	}},
	{name: "DATA of one byte and padding", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.post(1)
		}
		return data(1, FlagPadded, "\xffx"+strings.Repeat("\x00", 255))
	}, each: func(tk *talk, _ uint32) {
		if s := streamOf(tk.c, 1); s != nil {
			tk.c.Consumed(s, s.Unconsumed(), tk.now)
		}
	}},
	{name: "DATA of one byte on a stream that has ended", within: defaultWindow/leastLate + 2000, once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.post(1)
		}
		return data(1, 0, "x")
	}, each: func(tk *talk, i uint32) {
		if s := streamOf(tk.c, 1); s != nil {
			tk.c.Release(s)
		}
	}},
	{name: "DATA on a stream that the peer knows to have ended", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.post(1)
		}
		return data(1, 0, "x")
	}, each: func(tk *talk, i uint32) {
		if s := streamOf(tk.c, 1); s != nil {
			tk.c.Release(s)
		}
		if i == manyLate {
			tk.wantProof()
		}
	}},
	{name: "DATA of nothing on a stream that has ended", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.post(1)
		}
		return data(1, 0, "")
	}, each: func(tk *talk, i uint32) {
		if s := streamOf(tk.c, 1); s != nil {
			tk.c.Release(s)
		}
	}},
	{name: "header blocks on streams that have ended", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return tk.post(1)
		}
		return frame(FrameHeaders, FlagEndHeaders, 1, tk.block("a: b"))
	}, each: func(tk *talk, i uint32) {
		if s := streamOf(tk.c, 1); s != nil {
			tk.c.Release(s)
		}
	}},
	{name: "CONTINUATION without a byte", once: func(_ *talk, i uint32) string {
		if i == 0 {
			return frame(FrameHeaders, 0, 1, "")
		}
		return frame(FrameContinuation, 0, 1, "")
	}},
	{name: "CONTINUATION of one byte", once: func(_ *talk, i uint32) string {
		if i == 0 {
			return frame(FrameHeaders, 0, 1, "")
		}
		return frame(FrameContinuation, 0, 1, "\x82")
	}},
	{name: "CONTINUATION full of fields", once: func(_ *talk, i uint32) string {
		if i == 0 {
			return frame(FrameHeaders, 0, 1, "")
		}
		return frame(FrameContinuation, 0, 1, strings.Repeat("\x00\x01a\x01b", 3000))
	}},
	{name: "header lists that are too large", once: func(_ *talk, i uint32) string {
		return frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 2*i+1, strings.Repeat("\x82", 3000))
	}, each: func(tk *talk, i uint32) {
		if s := streamOf(tk.c, 2*i+1); s != nil {
			tk.respond(s)
			tk.c.Release(s)
		}
	}},
	{name: "header lists below the limit that repeat one large entry of the table", once: func(tk *talk, i uint32) string {
		block := tk.block(getLines...)
		if i == 0 { // the entry: 4,000 bytes, which is almost all that the table holds
			return frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block+"\x40\x01a\x7f\x80\x1e"+strings.Repeat("b", 127+30*128))
		}
		return frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 2*i+1, "\x82\x87\x84\x01\x01a"+strings.Repeat("\xbe", 15))
	}, each: func(tk *talk, i uint32) {
		if s := streamOf(tk.c, 2*i+1); s != nil {
			out := tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
			tk.c.AppendData(out, s, []byte("hello"), true, tk.now)
			tk.c.Release(s)
		}
	}},
	{name: "windows of one byte", once: func(tk *talk, i uint32) string {
		if i == 0 {
			return settings(settingWindow, 0) + tk.get(1)
		}
		return windowUpdate(1, 1)
	}, each: func(tk *talk, i uint32) {
		s := streamOf(tk.c, 1)
		if s == nil {
			return
		}
		tk.c.Ready(s, tk.now)
		if tk.c.NextSender() == s {
			tk.c.AppendData(nil, s, make([]byte, 1000), true, tk.now)
		}
	}},
}

// Each flood ends the connection with ENHANCE_YOUR_CALM within its number of frames.
func TestFloods(t *testing.T) {
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) {
			tk := server(t, Config{})
			frames := 0
			within := max(f.within, 1000)
			for i := uint32(0); frames < within; i++ {
				in := f.once(tk, i)
				for b := in; len(b) > 0; b = b[FrameHeaderLen+ParseFrameHeader([]byte(b)).Length:] {
					frames++
				}
				tk.send(in)
				for {
					ev := tk.next()
					if strings.HasPrefix(ev, "error ") {
						if !strings.Contains(ev, ErrCodeEnhanceYourCalm.String()) {
							t.Fatal(ev)
						}
						return
					}
					if ev == "nothing" {
						break
					}
					if !f.busy {
						releaseEnded(tk.c)
					}
				}
				if f.each != nil {
					f.each(tk, i)
				}
				tk.c.AppendPending(nil)
				tk.now += f.pause
			}
			t.Fatalf("goes on for %d frames", within)
		})
	}
}

// download responds to the request with n bytes, and releases its stream.
func (tk *talk) download(id uint32, n int) {
	tk.t.Helper()
	s := streamOf(tk.c, id)
	out := tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
	if _, sent := tk.c.AppendData(out, s, megabyte[:n], true, tk.now); sent != n {
		tk.t.Fatalf("%d of %d bytes were sent", sent, n)
	}
	tk.c.Release(s)
}

// wantProof checks that the pending output ends with the PING that asks what the peer has seen, and acknowledges it.
func (tk *talk) wantProof() {
	tk.t.Helper()
	const ping = "\x80\x00\x00\x00\x00\x00\x00\x03"
	if out := string(tk.c.AppendPending(nil)); !strings.HasSuffix(out, frame(FramePing, 0, 0, ping)) {
		tk.t.Fatalf("it does not ask: %q", out)
	}
	tk.send(frame(FramePing, FlagAck, 0, ping))
	tk.silent()
}

// releaseEnded releases the streams that have ended, as an owner does.
func releaseEnded(c *Conn) {
	var ended []*Stream
	for s := range c.Streams {
		if s.State() == StateClosed {
			ended = append(ended, s)
		}
	}
	for _, s := range ended {
		c.Release(s)
	}
}

// A SETTINGS frame can hold 2,730 settings, each of which may move the windows of streams: it costs more than a short
// one.
func TestSettingsCostByTheirNumber(t *testing.T) {
	full := make([]uint32, 0, 2*2730)
	for i := range uint32(2730) {
		full = append(full, settingWindow, i%2)
	}
	for name, once := range map[string]string{
		"one setting many times":     settings(full...),
		"settings that nobody knows": frame(FrameSettings, 0, 0, strings.Repeat("\xff\x00\x00\x00\x00\x00", 2730)),
	} {
		t.Run(name, func(t *testing.T) {
			tk := server(t, Config{})
			for range 6 {
				tk.send(once)
				if strings.Contains(tk.next(), ErrCodeEnhanceYourCalm.String()) {
					return
				}
			}
			t.Fatal("goes on for six full frames")
		})
	}
}

// An error of the decoder counts from the fragment on in which it is found, and not only at the end of the block.
func TestErrorsInFragments(t *testing.T) {
	tk := server(t, Config{})
	tk.send(frame(FrameHeaders, 0, 1, "\x80")) // index 0
	tk.want("error http2: header block that cannot be decompressed (COMPRESSION_ERROR, RFC 9113 §4.3)")

	tk = server(t, Config{})
	tk.send(frame(FrameHeaders, 0, 1, strings.Repeat("\x82", 300))) // more fields than there may be
	for range defaultBudget / costListSize {
		tk.send(frame(FrameContinuation, 0, 1, "\x82"))
		if strings.Contains(tk.next(), ErrCodeEnhanceYourCalm.String()) {
			return
		}
	}
	t.Fatal("a header section that is too large goes on at the price of one that is not")
}
