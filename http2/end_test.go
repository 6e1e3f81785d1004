package http2

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// Shutdown sends GOAWAY twice: streams that were opened before the client saw the first one are served, and the second
// follows the PING's acknowledgement, or a timeout (RFC 9113 §6.8).
func TestGracefulShutdown(t *testing.T) {
	for _, way := range []string{"PING comes back", "time"} {
		tk := server(t, Config{})
		tk.send(tk.get(1))
		tk.want("Headers 1 GET https example.com / END")
		tk.c.Shutdown(tk.now)
		tk.c.Shutdown(tk.now)
		tk.says("GOAWAY 2147483647 NO_ERROR", "PING 8000000000000002")
		// Streams that the client opened before it saw the first GOAWAY are still served.
		tk.send(tk.get(3))
		tk.want("Headers 3 GET https example.com / END")
		if tk.c.Drained() {
			t.Fatal("drained already")
		}
		if way == "time" {
			tk.now = tk.c.Deadline()
			if ev, err := tk.c.Tick(tk.now); ev.Kind != EventNone || err != nil {
				t.Fatal(ev, err)
			}
		} else {
			tk.send(frame(FramePing, FlagAck, 0, "\x80\x00\x00\x00\x00\x00\x00\x02"))
			tk.silent()
		}
		tk.says("GOAWAY 3 NO_ERROR")
		if tk.c.Deadline() != 0 {
			t.Fatal("a deadline although nothing waits")
		}
		// Streams after the second GOAWAY are ignored, but their header blocks are decoded.
		tk.send(tk.post(5, "x-new: 1") + data(5, 0, "abc") + windowUpdate(5, 1) + reset(5, ErrCodeCancel))
		tk.silent()
		tk.says()
		for _, id := range []uint32{1, 3} {
			s := streamOf(tk.c, id)
			tk.respond(s)
			tk.c.Release(s)
		}
		if !tk.c.Drained() {
			t.Fatal("not drained")
		}
		tk.says()
	}
}

// After the server's GOAWAY no stream can be opened, streams that it does not process fail, and the others are completed.
func TestPeerGoesAway(t *testing.T) {
	tk := client(t, Config{})
	a, b, d := tk.ask(true), tk.ask(true), tk.ask(true)
	tk.send(frame(FrameGoAway, 0, 0, u32(maxStreamID)+u32(0)))
	tk.want(`GoAway 2147483647 NO_ERROR ""`)
	if _, err := tk.c.Open(nil); err != ErrGoingAway {
		t.Fatal(err)
	}
	tk.c.Release(d)
	tk.says("RST_STREAM 5 CANCEL")
	tk.send(frame(FrameGoAway, 0, 0, u32(1)+u32(uint32(ErrCodeEnhanceYourCalm))+"why"+strings.Repeat("!", 300)))
	got := tk.next()
	if want := `GoAway 1 ENHANCE_YOUR_CALM "why!!!`; !strings.HasPrefix(got, want) {
		t.Fatal(got)
	}
	tk.want("Reset 3 REFUSED_STREAM (the peer went away before it worked on the stream)")
	tk.silent()
	if b.State() != StateClosed || a.State() != StateHalfClosedLocal || tk.c.Drained() {
		t.Fatal(a.State(), b.State())
	}
	tk.serverResponds(a, FlagEndStream)
	tk.c.Release(a)
	tk.c.Release(b)
	if !tk.c.Drained() {
		t.Fatal("not drained")
	}
	tk.says()
}

// Streams that are released before their EventReset do not get one.
func TestGoAwayAndRelease(t *testing.T) {
	tk := client(t, Config{})
	a, b := tk.ask(true), tk.ask(true)
	tk.send(frame(FrameGoAway, 0, 0, u32(0)+u32(0)))
	tk.want(`GoAway 0 NO_ERROR ""`)
	tk.c.Release(a)
	tk.want("Reset 3 REFUSED_STREAM (the peer went away before it worked on the stream)")
	tk.c.Release(b)
	tk.silent()
	tk.says()
	if !tk.c.Drained() {
		t.Fatal("not drained")
	}
}

// After Shutdown of a client no stream can be opened, and the connection is drained after the last one.
func TestClientShutdown(t *testing.T) {
	tk := client(t, Config{})
	s := tk.ask(true)
	tk.c.Shutdown(tk.now)
	tk.says("GOAWAY 0 NO_ERROR")
	if _, err := tk.c.Open(nil); err != ErrGoingAway || tk.c.Drained() {
		t.Fatal(err)
	}
	tk.serverResponds(s, FlagEndStream)
	if !tk.c.Drained() {
		t.Fatal("not drained")
	}
}

// A client opens as many streams as the server takes at once, with ascending identifiers, until these are used up.
func TestOpen(t *testing.T) {
	tk := client(t, Config{})
	tk.send(settings(settingMaxStreams, 2))
	tk.want("Settings")
	s, err := tk.c.Open("mine")
	if err != nil || s.Owner != "mine" || s.ID() != 1 || s.State() != StateIdle {
		t.Fatal(s, err)
	}
	if _, err := tk.c.Open(nil); err != ErrTooManyStreams {
		t.Fatal("two at once without HEADERS:", err)
	}
	tk.c.Release(s) // it was never sent: its identifier is free
	tk.says("SETTINGS ack")
	a, b := tk.ask(true), tk.ask(true)
	if a.ID() != 1 || b.ID() != 3 {
		t.Fatal(a.ID(), b.ID())
	}
	if _, err := tk.c.Open(nil); err != ErrTooManyStreams {
		t.Fatal(err)
	}
	tk.serverResponds(a, FlagEndStream)
	tk.c.core.streams.next = maxStreamID
	last := tk.ask(true)
	if last.ID() != maxStreamID {
		t.Fatal(last.ID())
	}
	tk.c.Release(last)
	if _, err := tk.c.Open(nil); err != ErrStreamIDs {
		t.Fatal(err)
	}
	srv := server(t, Config{})
	if _, err := srv.c.Open(nil); err != ErrGoingAway {
		t.Fatal(err)
	}
}

// Fail ends the connection with one GOAWAY; afterwards nothing is sent or received.
func TestFail(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.get(1) + tk.post(3) + data(3, 0, string(make([]byte, 16000))))
	tk.want("Headers 1 GET https example.com / END", "Headers 3 POST https example.com /")
	tk.next()
	body := streamOf(tk.c, 3)
	tk.c.Fail(ErrCodeInternal, "sorry")
	tk.c.Fail(ErrCodeCancel, "again")
	tk.says("GOAWAY 3 INTERNAL_ERROR")
	for range 5 {
		tk.c.core.recv.consumed = 40000
		tk.c.Consumed(body, 3000, tk.now)
	}
	s := streamOf(tk.c, 1)
	// Nothing more is sent or received.
	out := tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
	out, _ = tk.c.AppendData(out, s, []byte("x"), true, tk.now)
	tk.c.Ready(s, tk.now)
	tk.c.Consumed(s, 1, tk.now)
	tk.c.Ping(1)
	tk.c.Shutdown(tk.now)
	tk.c.Release(s)
	if out = tk.c.AppendPending(out); len(out) > 0 || tk.c.NextSender() != nil || !tk.c.Drained() || tk.c.Deadline() != 0 {
		t.Fatalf("%q", out)
	}
	var e *Error
	_, n, err := tk.c.Next([]byte(tk.get(5)), tk.now)
	if n != 0 || !errors.As(err, &e) || e.Code != ErrCodeInternal || e.Blame().String() != "local" {
		t.Fatal(n, err)
	}
	if _, err := tk.c.Tick(tk.now); err != e {
		t.Fatal(err)
	}
}

// A peer that does not acknowledge SETTINGS in time ends the connection.
func TestSettingsTimeout(t *testing.T) {
	c := NewServer(&Config{SettingsTimeout: 5 * second}, 100)
	if c.Deadline() != 100+5*second {
		t.Fatal(c.Deadline())
	}
	if ev, err := c.Tick(c.Deadline() - 1); ev.Kind != EventNone || err != nil {
		t.Fatal(ev, err)
	}
	if _, err := c.Tick(c.Deadline()); err != errSettingsTime {
		t.Fatal(err)
	}
	if c := NewServer(&Config{}, 100); c.Deadline() != 100+10*second {
		t.Fatal(c.Deadline())
	}
	if c := NewServer(&Config{SettingsTimeout: -1}, 100); c.Deadline() != 0 {
		t.Fatal(c.Deadline())
	}
	if tk := server(t, Config{}); tk.c.Deadline() != 0 {
		t.Fatal("SETTINGS are acknowledged, but there is still a deadline")
	}
}

// The end of the input is io.EOF between messages, and io.ErrUnexpectedEOF within one or before the preface.
func TestEnd(t *testing.T) {
	for name, c := range map[string]struct {
		in   func(tk *talk)
		want error
	}{
		"nothing":        {func(*talk) {}, io.EOF},
		"a request":      {func(tk *talk) { tk.send(tk.get(1)) }, io.EOF},
		"half a body":    {func(tk *talk) { tk.send(tk.post(1)) }, io.ErrUnexpectedEOF},
		"half a frame":   {func(tk *talk) { tk.send(tk.get(1) + data(1, 0, "abc")[:11]) }, io.ErrUnexpectedEOF},
		"half a block":   {func(tk *talk) { tk.send(frame(FrameHeaders, 0, 1, "\x82")) }, io.ErrUnexpectedEOF},
		"half a setting": {func(tk *talk) { tk.send(settings(1, 2)[:12]) }, io.ErrUnexpectedEOF},
	} {
		tk := server(t, Config{})
		c.in(tk)
		for ev := tk.next(); ev != "nothing"; ev = tk.next() {
		}
		if err := tk.c.End(); err != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := NewServer(&Config{}, 0).End(); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	tk := client(t, Config{})
	s := tk.ask(true)
	if err := tk.c.End(); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	tk.serverResponds(s, FlagEndStream)
	if err := tk.c.End(); err != io.EOF {
		t.Error(err)
	}
}

// After an upgrade stream 1 is the upgraded request, and malformed HTTP2-Settings are refused.
func TestUpgrade(t *testing.T) {
	tk := &talk{t: t, c: NewServer(&Config{}, 0)}
	s, err := tk.c.Upgrade("AAQAAAAKAAMAAABk") // INITIAL_WINDOW_SIZE 10, MAX_CONCURRENT_STREAMS 100
	if err != nil || s.ID() != 1 || s.State() != StateHalfClosedRemote || s.SendWindow() != 10 || tk.c.PeerSettings().MaxStreams != 100 {
		t.Fatal(s, err)
	}
	tk.c.AppendPending(nil)
	tk.wrote(tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), true), "HEADERS 1 :status=200 END")
	tk.c.Release(s)
	tk.send(Preface + settings() + tk.get(3))
	tk.want("Settings", "Headers 3 GET https example.com / END")

	for _, bad := range []string{"AAQAAAA", "A", "!", "AAQAAAAK=", "AAT_____", "AAUAAAAA", "AAI_____"} {
		if _, err := NewServer(&Config{}, 0).Upgrade(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if _, err := NewServer(&Config{}, 0).Upgrade(""); err != nil {
		t.Error(err)
	}

	ck := &talk{t: t, c: NewClient(&Config{}, 0)}
	if s, err = ck.c.Upgrade(""); err != nil || s.ID() != 1 || s.State() != StateHalfClosedLocal {
		t.Fatal(s, err)
	}
	ck.send(settings())
	ck.want("Settings")
	ck.serverResponds(s, FlagEndStream)
	if s.State() != StateClosed || ck.ask(true).ID() != 3 {
		t.Fatal(s.State())
	}
}

// MatchPreface counts the bytes that agree with the preface, and reports whether all of them do.
func TestMatchPreface(t *testing.T) {
	for in, want := range map[string]struct {
		n  int
		ok bool
	}{
		"": {0, true}, "P": {1, true}, "PRI * HTTP/2.0\r\n": {16, true}, "PRI * HTTP/1.1": {11, false}, "GET": {0, false},
		Preface: {24, true}, Preface + "more": {24, true},
	} {
		if n, ok := MatchPreface([]byte(in)); n != want.n || ok != want.ok {
			t.Errorf("%q: %d %v", in, n, ok)
		}
	}
}

// Trim releases what an idle connection does not need, and the connection goes on.
func TestTrim(t *testing.T) {
	tk := server(t, Config{})
	for i := range uint32(50) {
		tk.send(tk.get(2*i+1, slices.Repeat([]string{"x-name: value"}, int(2*i))...))
		tk.next()
	}
	tk.c.Ready(streamOf(tk.c, 1), tk.now)
	tk.respondAll("hello")
	tk.c.Trim()
	if c := tk.c; c.core.out != nil || cap(c.work.recv.block.fields) > maxKeptFields || c.work.recv.block.knownAuthority != "" || c.core.streams.free != nil || c.core.streams.buckets != nil || c.core.sched.queues != nil {
		t.Fatal("something is left")
	}
	tk.send(tk.get(201))
	tk.want("Headers 201 GET https example.com / END")
	tk.c.Trim()
	tk.respondAll("hello")
}

// Trim keeps a header block that is being received.
func TestTrimInsideABlock(t *testing.T) {
	tk := server(t, Config{})
	block := tk.block(getLines...)
	tk.send(frame(FrameHeaders, FlagEndStream, 1, block[:5]))
	tk.silent()
	tk.c.Trim()
	tk.send(frame(FrameContinuation, FlagEndHeaders, 1, block[5:]))
	tk.want("Headers 1 GET https example.com / END")
}

// A header block, and any frame except DATA, must end within HeadTimeout of its first bytes, however slowly they arrive.
// The timeout begins again with each.
func TestHeadTimeout(t *testing.T) {
	cfg := Config{HeadTimeout: 5 * second}
	get := server(t, cfg).get(1)
	for name, in := range map[string]string{
		"headers":      get[:FrameHeaderLen+1],
		"block":        frame(FrameHeaders, FlagEndStream, 1, "\x82"),
		"settings":     settings(1, 4096)[:FrameHeaderLen],
		"unknown":      frame(0x77, 0, 1, "xyz")[:FrameHeaderLen+1],
		"goaway":       frame(FrameGoAway, 0, 0, string(make([]byte, 400)))[:FrameHeaderLen+300],
		"continuation": frame(FrameHeaders, FlagEndStream, 1, "\x82") + frame(FrameContinuation, 0, 1, "\x84"),
	} {
		tk := server(t, cfg)
		if tk.now = 100; name != "block" && name != "continuation" {
			tk.send(get)
			tk.want("Headers 1 GET https example.com /" + " END")
			tk.now = 200
		}
		tk.send(in)
		for tk.next() != "nothing" {
		}
		due := tk.now + 5*second
		if tk.c.Deadline() != due {
			t.Errorf("%s: it is due at %d, not %d", name, tk.c.Deadline(), due)
			continue
		}
		tk.now += second
		tk.silent()
		if tk.c.Deadline() != due {
			t.Errorf("%s: now it is due at %d", name, tk.c.Deadline())
		}
		if _, err := tk.c.Tick(due - 1); err != nil {
			t.Errorf("%s: %v too early", name, err)
		}
		if _, err := tk.c.Tick(due); err != errHeadTime {
			t.Errorf("%s: %v", name, err)
		}
		if tk.c.Deadline() != 0 {
			t.Errorf("%s: something is due after the end", name)
		}
	}
	// A frame that has ended is no longer timed, even if the next began in the same bytes; nor is DATA.
	tk := server(t, cfg)
	post := tk.post(1)
	tk.send(post[:12])
	tk.silent()
	tk.now = 2 * second
	tk.send(post[12:] + settings()[:4])
	tk.want("Headers 1 POST https example.com /", "nothing")
	if tk.c.Deadline() != 0 {
		t.Error("a frame that has ended is due")
	}
	tk.send(settings()[4:] + data(1, 0, "abc")[:FrameHeaderLen+1])
	tk.want("Settings", `Data 1 "a"`, "nothing")
	if tk.c.Deadline() != 0 {
		t.Error("DATA is due")
	}
	if tk := server(t, Config{HeadTimeout: -1}); tk.c.core.cfg.HeadTimeout > 0 {
		t.Error("a negative time counts as a limit")
	} else if tk.send(post[:12]); tk.next() != "nothing" || tk.c.Deadline() != 0 {
		t.Error("it is due without a limit")
	}
}

// A complete stream is over for the peer, which may open another one. The owner may still hold it, but of all streams
// there are at most twice MaxStreams.
func TestCompleteStreamsDoNotCount(t *testing.T) {
	tk := server(t, Config{MaxStreams: 2})
	respond := func(id uint32) *Stream {
		s := streamOf(tk.c, id)
		tk.c.AppendHeaders(nil, s, fieldsOf(":status: 204"), true)
		return s
	}
	opens := func(id uint32) {
		t.Helper()
		tk.send(tk.get(id))
		tk.want(fmt.Sprintf("Headers %d GET https example.com / END", id))
	}
	refuses := func(id uint32) {
		t.Helper()
		tk.send(tk.get(id))
		tk.want("Refused REFUSED_STREAM (more streams than SETTINGS_MAX_CONCURRENT_STREAMS)", "nothing")
		tk.says(fmt.Sprintf("RST_STREAM %d REFUSED_STREAM", id))
	}
	opens(1)
	opens(3)
	refuses(5)
	first := respond(1)
	opens(7)
	refuses(9)
	respond(3)
	opens(11)
	respond(7)
	refuses(13) // four are not released
	tk.c.Release(first)
	opens(15)
	tk.send(reset(15, ErrCodeCancel))
	tk.want("Reset 15 CANCEL")
	tk.c.Release(streamOf(tk.c, 3))
	tk.c.Release(streamOf(tk.c, 7))
	refuses(17) // a stream that the peer has reset counts
	tk.c.Release(streamOf(tk.c, 15))
	opens(19)
	refuses(21)
}

// The owner gets one EventReset for each stream that was not processed.
func TestGoAwayLeavesSeveralOut(t *testing.T) {
	tk := client(t, Config{})
	open := []*Stream{tk.ask(true), tk.ask(true), tk.ask(true), tk.ask(true)}
	tk.send(frame(FrameGoAway, 0, 0, u32(1)+u32(0)))
	tk.want(`GoAway 1 NO_ERROR ""`)
	told := map[string]bool{}
	for range 3 {
		told[tk.next()] = true
	}
	for _, id := range []string{"3", "5", "7"} {
		if !told["Reset "+id+" REFUSED_STREAM (the peer went away before it worked on the stream)"] {
			t.Errorf("stream %s is not among %v", id, told)
		}
	}
	tk.silent()
	for _, s := range open[1:] {
		tk.c.Release(s)
	}
	tk.says()
	if tk.c.Drained() || open[0].State() != StateHalfClosedLocal {
		t.Error("the first stream is not waited for")
	}
}

// A stream that is reset before its HEADERS were appended leaves no trace, however it is released.
func TestTakenBack(t *testing.T) {
	for name, giveUp := range map[string]func(tk *talk, s *Stream){
		"released":           func(tk *talk, s *Stream) {},
		"reset and released": func(tk *talk, s *Stream) { tk.c.Reset(s, ErrCodeCancel) },
		"reset twice":        func(tk *talk, s *Stream) { tk.c.Reset(s, ErrCodeCancel); tk.c.Reset(s, ErrCodeNo) },
	} {
		tk := client(t, Config{})
		tk.send(settings(settingMaxStreams, 3))
		tk.want("Settings")
		tk.says("SETTINGS ack")
		first := tk.ask(true)
		for range 3 {
			s, err := tk.c.Open(nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			giveUp(tk, s)
			tk.c.Release(s)
			tk.says()
			if n := tk.c.Room(); n != 2 {
				t.Errorf("%s: room for %d streams, want 2", name, n)
			}
		}
		if second := tk.ask(true); first.ID() != 1 || second.ID() != 3 {
			t.Errorf("%s: streams %d and %d", name, first.ID(), second.ID())
		}
	}
}

// The end of a stream that was open for a long time is not taken for that of a later one, on which a peer
// that has not seen our reset may still send.
func TestLongStream(t *testing.T) {
	const late = 1 + 2*rememberedEndings
	t.Run("client", func(t *testing.T) {
		tk := client(t, Config{})
		long := tk.ask(true)
		for range rememberedEndings {
			tk.c.Release(tk.ask(true))
			tk.c.AppendPending(nil)
		}
		tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, long.ID(), "\x88"))
		tk.want("Headers 1 200 END")
		tk.send(frame(FrameHeaders, FlagEndHeaders, late, "\x88") + data(late, 0, "late"))
		tk.want("nothing")
	})
	t.Run("server", func(t *testing.T) {
		tk := server(t, Config{})
		tk.send(tk.post(1))
		tk.want("Headers 1 POST https example.com /")
		for id := uint32(3); id <= late; id += 2 {
			tk.send(tk.post(id))
			tk.next()
			s := streamOf(tk.c, id)
			tk.c.Release(s)
			tk.c.AppendPending(nil)
		}
		tk.c.AppendHeaders(nil, streamOf(tk.c, 1), fieldsOf(":status: 200"), true)
		tk.send(data(1, FlagEndStream, "") + data(late, 0, "late"))
		tk.want(`Data 1 "" END`, "nothing")
	})
}

// A client that skips a billion identifiers costs no more time than one that skips a few.
func TestALeapIsCheap(t *testing.T) {
	start := time.Now()
	for range 30 {
		tk := server(t, Config{})
		tk.send(tk.get(1) + tk.get(maxStreamID))
		tk.want("Headers 1 GET https example.com / END", fmt.Sprintf("Headers %d GET https example.com / END", uint32(maxStreamID)))
		for _, id := range []uint32{maxStreamID - 2, maxStreamID - 2*(rememberedEndings-1)} {
			if how := tk.c.work.ended.get(id, maxStreamID); how != endSkipped {
				t.Errorf("stream %d, which was skipped, has ended as %d", id, how)
			}
		}
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("30 leaps took %v", d)
	}
}
