package http2

import (
	"strings"
	"testing"
)

// startDownload opens a stream whose client has windows of n bytes, and sends the head of the response.
func (tk *talk) startDownload(n uint32) *Stream {
	tk.t.Helper()
	tk.send(settings(settingWindow, n) + windowUpdate(0, max(n, 1<<16)-defaultWindow) + tk.get(1))
	tk.drain()
	s := streamOf(tk.c, 1)
	tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
	return s
}

// fill sends as much as the windows let through, at most n bytes.
func (tk *talk) fill(s *Stream, n int, end bool) int {
	_, sent := tk.c.AppendData(nil, s, fillBytes[:n], end, tk.now)
	return sent
}

var fillBytes [4 << 20]byte

// readers are clients that read their responses late, slowly, or in small pieces.
var readers = []pattern{
	{"reads 4 MiB late, 300 bytes at a time, when the stream has ended already", 4 << 20 / 300, 0, func(tk *talk, i uint32) {
		if i == 0 {
			s := tk.startDownload(4 << 20)
			tk.fill(s, 4<<20, true)
			tk.c.Release(s)
		}
		tk.send(windowUpdate(0, 300) + windowUpdate(1, 300))
		tk.drain()
	}},
	{"reads 4 MiB late, and gives back to the stream before it gives back to the connection", 2 * (4 << 20 / 300), 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.fill(tk.startDownload(4<<20), 4<<20, false)
		}
		if i < 4<<20/300 {
			tk.send(windowUpdate(1, 300))
		} else {
			tk.send(windowUpdate(0, 300))
		}
		tk.drain()
	}},
	{"gives back to the connection at once, and to 100 streams when it reads them", 100 * 65_000 / 500, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.send(windowUpdate(0, 100<<16))
			for k := range uint32(100) {
				tk.send(tk.get(2*k + 1))
			}
			tk.drain()
			for k := range uint32(100) {
				s := streamOf(tk.c, 2*k+1)
				tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
				tk.fill(s, 65_000, k%2 == 0)
				tk.c.Release(s)
			}
			tk.send(windowUpdate(0, 100*65_000))
		}
		tk.send(windowUpdate(2*(i%100)+1, 500))
		tk.drain()
	}},
	{"reads 100 bytes at a time behind windows that are full", 20_000, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.fill(tk.startDownload(1<<16), 1<<16, false)
		}
		tk.send(windowUpdate(0, 100) + windowUpdate(1, 100))
		tk.drain()
		if n := tk.fill(streamOf(tk.c, 1), 1000, false); n != 100 {
			tk.t.Fatalf("%d bytes were sent", n)
		}
	}},
	{"gets messages of 5 bytes, and gives each back", 20_000, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.startDownload(1 << 16)
		}
		tk.fill(streamOf(tk.c, 1), 5, false)
		tk.send(windowUpdate(1, 5) + windowUpdate(0, 5))
		tk.drain()
	}},
	{"opens its windows further with what it gives back", 2_000, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.startDownload(1 << 16)
		}
		n := uint32(tk.fill(streamOf(tk.c, 1), 4096, false))
		tk.send(windowUpdate(1, n+64) + windowUpdate(0, n+64))
		tk.drain()
	}},
	{"gives up its downloads, and what it got later still", 200, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.send(settings(settingWindow, 1<<20) + windowUpdate(0, 1<<30))
		}
		tk.send(tk.get(2*i + 1))
		tk.drain()
		s := streamOf(tk.c, 2*i+1)
		tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
		tk.fill(s, 100_000, false)
		tk.send(reset(2*i+1, ErrCodeCancel))
		for range 100 {
			tk.send(windowUpdate(0, 500) + windowUpdate(2*i+1, 500))
		}
		tk.drain()
	}},
}

// cancellers are clients that cancel their requests.
var cancellers = []pattern{
	{"50 calls at once with a deadline of 20 ms", 500, 20 * msec, func(tk *talk, i uint32) {
		for k := range uint32(50) {
			if i > 0 {
				tk.send(reset(2*(50*(i-1)+k)+1, ErrCodeCancel))
			}
			tk.send(tk.get(2*(50*i+k) + 1))
		}
		tk.drain()
	}},
	{"50 calls at once with a deadline of 20 ms, which are read every 100 ms", 100, 100 * msec, func(tk *talk, i uint32) {
		for k := range uint32(250) { // five of each, the last of which goes on
			if call := 250*i + k; call >= 50 {
				tk.send(reset(2*(call-50)+1, ErrCodeCancel))
			}
			tk.send(tk.get(2*(250*i+k) + 1))
		}
		tk.drain()
	}},
	{"cancels streams of which it has got a message", 2_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.get(2*i + 1))
		tk.drain()
		s := streamOf(tk.c, 2*i+1)
		tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
		tk.fill(s, 50, false)
		tk.send(windowUpdate(0, 50) + reset(2*i+1, ErrCodeCancel))
		tk.drain()
	}},
	{"gives up bodies of which it has got the response", 2_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.post(2*i+1, "content-length: 100"))
		tk.drain()
		tk.c.AppendHeaders(nil, streamOf(tk.c, 2*i+1), fieldsOf(":status: 429"), true)
		tk.send(reset(2*i+1, ErrCodeCancel))
		tk.drain()
	}},
	{"asks again and again while the handlers of cancelled requests go on", 500, 50 * msec, func(tk *talk, i uint32) {
		const most = 250
		if i == 0 {
			for k := range uint32(most) {
				tk.send(tk.get(2*k + 1))
			}
			tk.busy(most)
			tk.now += 50 * msec
			for k := range uint32(most) {
				tk.send(reset(2*k+1, ErrCodeCancel))
			}
			tk.busy(0)
		}
		for k := range uint32(50) {
			tk.send(tk.get(2*(most+50*i+k) + 1))
		}
		tk.busy(0)
	}},
	{"asks handlers that fail", 2_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.get(2*i + 1))
		tk.drain()
		s := streamOf(tk.c, 2*i+1)
		tk.c.Reset(s, ErrCodeInternal)
		tk.c.Release(s)
	}},
}

// busy lets the server read its input, for owners that do not release their streams: that many requests are accepted.
func (tk *talk) busy(accepted int) {
	tk.t.Helper()
	for {
		ev, n, err := tk.c.Next(tk.in, tk.now)
		tk.in = tk.in[n:]
		switch {
		case err != nil:
			tk.t.Fatal(err)
		case ev.Kind == EventHeaders:
			accepted--
		case ev.Kind == EventNone && !tk.pong(tk.c.AppendPending(nil)):
			if accepted != 0 {
				tk.t.Fatalf("%d requests more were to be accepted", accepted)
			}
			return
		}
	}
}

// latecomers are clients whose frames cross ours that end their streams.
var latecomers = []pattern{
	{"streams measurements of 11 bytes that are turned away: 1,200 are under way", 50, 0, func(tk *talk, i uint32) {
		tk.send(tk.post(2*i + 1))
		tk.drain()
		tk.respondAll("no")
		tk.send(strings.Repeat(data(2*i+1, 0, "measured: 1"), 1200) + data(2*i+1, FlagEndStream, ""))
		tk.drain()
	}},
	{"fills the whole window of a stream with frames of 10 bytes that nobody reads", 20, 0, func(tk *talk, i uint32) {
		tk.send(tk.post(2*i + 1))
		tk.drain()
		tk.respondAll("no")
		tk.send(strings.Repeat(data(2*i+1, 0, "ten bytes."), defaultWindow/10) + frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 2*i+1, tk.block("x-sum: 1")))
		tk.drain()
	}},
	{"ends 200 bodies by trailers that cross the responses", 10, 0, func(tk *talk, i uint32) {
		for k := range uint32(200) {
			tk.send(tk.post(2*(200*i+k)+1) + data(2*(200*i+k)+1, 0, "hello"))
		}
		tk.drain()
		tk.respondAll("no")
		for k := range uint32(200) {
			tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 2*(200*i+k)+1, tk.block("x-sum: 1")))
		}
		tk.drain()
	}},
	{"sends 200 bodies of known length whose ends cross the responses", 10, 0, func(tk *talk, i uint32) {
		for k := range uint32(200) {
			tk.send(tk.post(2*(200*i+k)+1, "content-length: 5") + data(2*(200*i+k)+1, 0, "hello"))
		}
		tk.drain()
		tk.respondAll("no")
		for k := range uint32(200) {
			tk.send(data(2*(200*i+k)+1, FlagEndStream, ""))
		}
		tk.drain()
	}},
	{"answers each DATA frame that comes late by RST_STREAM", 100, 0, func(tk *talk, i uint32) {
		tk.send(tk.get(2*i + 1))
		tk.drain()
		s := streamOf(tk.c, 2*i+1)
		tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
		tk.send(reset(2*i+1, ErrCodeCancel))
		for range 100 {
			tk.fill(s, 10, false)
			tk.send(reset(2*i+1, ErrCodeStreamClosed) + windowUpdate(0, 10))
		}
		tk.drain()
	}},
}

// A server that has responded before it read all of a body may reset its stream once more for
// each frame of it that comes after its response.
func TestRepliesToABodyThatWasComplete(t *testing.T) {
	tk := client(t, Config{})
	for i := range uint32(100) {
		id := 2*i + 1
		s, err := tk.c.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		tk.c.AppendHeaders(nil, s, fieldsOf(":method: POST", ":scheme: https", ":authority: a", ":path: /"), false)
		for k := range 100 {
			tk.c.AppendData(nil, s, []byte("ten bytes."), k == 99, tk.now)
		}
		tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, id, tk.block(":status: 429")))
		tk.drain()
		tk.c.Release(s)
		for range 100 {
			tk.send(reset(id, ErrCodeStreamClosed) + windowUpdate(0, 10))
		}
		tk.drain()
	}
}

// A client that does not know our limit yet may open 100 uploads of small frames where 10 are allowed, and send the
// refused ones again when there is room.
func TestEarlyStreams(t *testing.T) {
	cfg := Config{MaxStreams: 10}
	tk := &talk{t: t, c: NewServer(&cfg, 1), now: 1}
	tk.c.AppendPending(nil)
	tk.send(Preface + settings())
	for k := range uint32(100) {
		tk.send(tk.post(2*k + 1))
	}
	for range 100 {
		for k := range uint32(100) {
			tk.send(data(2*k+1, 0, "ten bytes."))
		}
	}
	tk.drain()
	tk.send(frame(FrameSettings, FlagAck, 0, ""))
	tk.drain()
	if left := tk.c.core.budget.Left; left != defaultBudget || tk.c.Len() != 10 {
		t.Fatalf("%d streams, and %d units left", tk.c.Len(), left)
	}
}

// A negative Budget means no limit.
func TestTheBudgetMayBeNone(t *testing.T) {
	tk := server(t, Config{Budget: -1})
	for range 10_000 {
		tk.send(frame(FramePing, 0, 0, "12345678"))
		tk.drain()
	}
}
