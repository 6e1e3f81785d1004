package http2

import "testing"

// How streams ended is remembered for as many as there is room for, and not confused with others.
func TestEndings(t *testing.T) {
	var e endings
	latest := uint32(0)
	how := map[uint32]ending{}
	for i, id := range []uint32{5, 7, 9, 13, 15, 501, 503, 2001, 2003, 2005, 2007} {
		next := latest + 2
		if latest == 0 {
			next = 1
		}
		e.skip(next, id)
		for skipped := latest + 1; skipped < id; skipped++ {
			if skipped%2 == 1 {
				how[skipped] = endSkipped
			}
		}
		latest = id
		how[id] = ending(i % 3)
		e.set(id, latest, how[id])
		for id, want := range how {
			if latest-id >= 2*rememberedEndings {
				want = endReset
			}
			if got := e.get(id, latest); got != want {
				t.Fatalf("after %d: stream %d ended by %d, want %d", latest, id, got, want)
			}
		}
	}
}

// Frames on a stream that ended long ago are ignored: how it ended is forgotten.
func TestEndedLongAgo(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.get(1))
	tk.want("Headers 1 GET https example.com / END")
	tk.c.Release(tk.respond(streamOf(tk.c, 1)))
	tk.send(tk.get(2*rememberedEndings + 1))
	tk.next()
	tk.send(data(1, 0, "x"))
	tk.silent()
	tk.says()
}

// A table that has grown finds all its streams, and no others.
func TestTable(t *testing.T) {
	var tb table
	all := map[uint32]*Stream{}
	for i := range uint32(300) {
		id := 2*i*7 + 1
		all[id] = tb.add(id)
		if i%3 == 0 {
			tb.remove(all[id])
			delete(all, id)
		}
	}
	for id := range uint32(5000) {
		if got := tb.find(id); got != all[id] {
			t.Fatalf("stream %d: %v, want %v", id, got, all[id])
		}
	}
	n := 0
	tb.each(func(s *Stream) bool { n++; return n < 5 })
	if n != 5 || int(tb.n) != len(all) {
		t.Fatal(n, tb.n, len(all))
	}
	for _, s := range all {
		tb.remove(s)
	}
	if tb.nfree != maxFree {
		t.Fatalf("%d structs are kept", tb.nfree)
	}
	if s := tb.add(1); s.Owner != nil || s.turn != turnNone || tb.nfree != maxFree-1 {
		t.Fatal("a struct is not used again as new")
	}
}

// If too many priorities come before their streams, the oldest are dropped. A second one for a stream replaces the first.
func TestEarlyPriorities(t *testing.T) {
	tk := server(t, Config{})
	for i := range uint32(maxEarly + 2) {
		tk.send(frame(FramePriorityUpdate, 0, 0, u32(2*i+1)+"u=6"))
	}
	tk.send(frame(FramePriorityUpdate, 0, 0, u32(5)+"u=2"))
	tk.silent()
	for id, want := range map[uint32]uint8{1: 3, 3: 3, 5: 2, 7: 6} {
		fresh := server(t, Config{})
		early := *tk.c.core.sched.early
		fresh.c.core.sched.early = &early
		fresh.send(fresh.get(id))
		fresh.next()
		if got := streamOf(fresh.c, id).Priority().Urgency; got != want {
			t.Errorf("stream %d has urgency %d, want %d", id, got, want)
		}
	}
}

// If the owner resets a stream whose body or trailers are being received, the rest is ignored.
func TestResetInsideAFrame(t *testing.T) {
	tk := server(t, Config{})
	in := tk.post(1) + data(1, 0, "hello")
	tk.send(in[:len(in)-2])
	tk.want("Headers 1 POST https example.com /", `Data 1 "hel"`)
	tk.c.Release(streamOf(tk.c, 1))
	tk.send(in[len(in)-2:])
	tk.silent()
	if tk.c.core.recv.consumed != 5 {
		t.Fatal(tk.c.core.recv.consumed)
	}
	tk.send(tk.post(3))
	tk.want("Headers 3 POST https example.com /")
	block := tk.block("a: b", "c: d")
	tk.send(frame(FrameHeaders, FlagEndStream, 3, block[:2]))
	tk.silent()
	tk.c.Release(streamOf(tk.c, 3))
	tk.send(frame(FrameContinuation, FlagEndHeaders, 3, block[2:]) + tk.get(5, "a: b", "c: d"))
	tk.want("Headers 5 GET https example.com / a=b c=d END")
}

// An error names its rule, its code, the RFC section and the side that broke the rule.
func TestErrorTells(t *testing.T) {
	if got := errCalm.Error(); got != "http2: too much work without progress (ENHANCE_YOUR_CALM, RFC 9113 §10.5)" {
		t.Error(got)
	}
	if errCalm.Reference() != "RFC 9113 §10.5" || errCalm.Blame().String() != "peer" {
		t.Error(errCalm.Reference(), errCalm.Blame())
	}
}

// Pending reports whether there is output of the connection itself.
func TestPendingTells(t *testing.T) {
	c := NewServer(&Config{}, 0)
	if !c.Pending() {
		t.Error("Pending is false, but SETTINGS wait")
	}
	c.AppendPending(nil)
	if c.Pending() {
		t.Error("Pending is true, but there is no output")
	}
}

// The owner's own resets cost the peer nothing: a handler that fails is not its fault.
func TestOwnersResetIsFree(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.post(1))
	tk.want("Headers 1 POST https example.com /")
	left := tk.c.core.budget.Left
	tk.c.Reset(streamOf(tk.c, 1), ErrCodeInternal)
	if got := left - tk.c.core.budget.Left; got != 0 {
		t.Errorf("costs %d", got)
	}
	tk.says("RST_STREAM 1 INTERNAL_ERROR")
}

// An authority that was found valid is valid again, and makes no other one valid.
func TestAuthoritiesOfOneConnection(t *testing.T) {
	tk := server(t, Config{})
	for i, c := range []struct {
		authority, host string
		good            bool
	}{
		{"a.example", "", true}, {"a.example", "", true}, {"b..example", "", true}, {"a b", "", false}, {"a b", "", false},
		{"a.example", "b.example", false}, {"a.example", "A.example", true}, {"a.example", "", true}, {"", "", false},
	} {
		id := uint32(2*i + 1)
		lines := []string{":method: GET", ":scheme: https", ":authority: " + c.authority, ":path: /"}
		if c.host != "" {
			lines = append(lines, "host: "+c.host)
		}
		tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, id, tk.block(lines...)))
		tk.next()
		if (streamOf(tk.c, id) != nil) != c.good {
			t.Errorf("%d: %+v", id, c)
		}
	}
}

// A client that has its response but is still sending gets NO_ERROR; one that has no response gets CANCEL (RFC 9113
// §8.1).
func TestReleaseBeforeTheEnd(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.post(1) + tk.post(3) + tk.get(5) + tk.get(7))
	tk.want("Headers 1 POST https example.com /", "Headers 3 POST https example.com /",
		"Headers 5 GET https example.com / END", "Headers 7 GET https example.com / END")
	tk.respond(streamOf(tk.c, 1))
	tk.respond(streamOf(tk.c, 7))
	for id := range uint32(8) {
		if s := streamOf(tk.c, id); s != nil {
			tk.c.Release(s)
		}
	}
	tk.says("RST_STREAM 1 NO_ERROR", "RST_STREAM 3 CANCEL", "RST_STREAM 5 CANCEL")

	ck := client(t, Config{})
	ck.c.Release(ck.ask(true))
	ck.says("RST_STREAM 1 CANCEL")
}

// If the body is complete by content-length, only END_STREAM is missing: the client may send it after the response.
func TestReleaseBeforeTheFlag(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.post(1, "content-length: 3") + data(1, 0, "abc") + tk.post(3, "content-length: 65536") + data(3, 0, ""))
	tk.want("Headers 1 POST https example.com / content-length=3", `Data 1 "abc"`, "Headers 3 POST https example.com / content-length=65536")
	tk.silent()
	for _, id := range []uint32{1, 3} {
		s := streamOf(tk.c, id)
		tk.respond(s)
		tk.c.Release(s)
	}
	tk.says("RST_STREAM 3 NO_ERROR")
	tk.send(data(1, FlagEndStream, ""))
	tk.silent()
	if tk.c.Len() != 0 || tk.c.core.streams.active() != 0 {
		t.Errorf("%d streams are left, %d of them active", tk.c.Len(), tk.c.core.streams.active())
	}
}

// The method decides how the response is read, however the request was appended.
func TestHeadFieldByField(t *testing.T) {
	tk := client(t, Config{})
	s, err := tk.c.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	out := tk.c.BeginHeaders(nil, s)
	for _, f := range fieldsOf(":method: HEAD", ":scheme: https", ":authority: a", ":path: /") {
		out = tk.c.AppendField(out, f.Name, f.Value)
	}
	tk.wrote(tk.c.EndHeaders(out, true), "HEADERS 1 :method=HEAD :scheme=https :authority=a :path=/ END")
	tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, tk.block(":status: 200", "content-length: 9")))
	tk.want("Headers 1 200 content-length=9 END")
}
