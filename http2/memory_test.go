package http2

import (
	"runtime"
	"testing"
)

// The memory that a server keeps for an idle connection is bounded. HPACK tables, which hold what the client puts into them, are
// empty here.
func TestMemoryOfIdleConns(t *testing.T) {
	const n = 500
	var before, after runtime.MemStats
	conns := make([]*Conn, n)
	cfg := Config{Pool: new(shelf)}.Complete()
	in := []byte(Preface + settings() + frame(FrameSettings, FlagAck, 0, "") +
		frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, "\x82\x84\x87\x01\x01a"))
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range conns {
		c := NewServer(cfg, 0)
		for rest := in; ; {
			ev, used, err := c.Next(rest, 0)
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[used:]
			if ev.Kind == EventNone {
				break
			}
			if ev.Kind == EventHeaders {
				c.AppendHeaders(nil, ev.Stream, fieldsOf(":status: 200"), true)
				c.Release(ev.Stream)
			}
		}
		c.AppendPending(nil)
		c.Trim()
		conns[i] = c
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	per := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
	t.Logf("%d bytes a connection", per)
	if per > 450 {
		t.Errorf("%d bytes a connection", per)
	}
	runtime.KeepAlive(conns)
}
