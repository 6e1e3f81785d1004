package http3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/server"
)

// Streams work in both directions, and the codes that end them arrive.
func TestSessionStreams(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{})
	k := r.talk()
	_, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()

	theirs := k.open(unhex(t, "4041 00 6162"), true)
	str, err := s.AcceptStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(str); got != "ab" {
		t.Errorf("the client's stream says %q", got)
	}
	io.WriteString(str, "cd")
	str.CloseWrite()
	if got := all(theirs); got != "cd" {
		t.Errorf("the response is %q", got)
	}

	k.uni(unhex(t, "4054 00 6566")).Close()
	in, err := s.AcceptUniStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(in); got != "ef" {
		t.Errorf("the client's unidirectional stream says %q", got)
	}

	if str, err = s.OpenStream(ctx); err != nil {
		t.Fatal(err)
	}
	io.WriteString(str, "gh")
	str.CloseWrite()
	if theirs, err = k.c.AcceptStream(ctx); err != nil {
		t.Fatal(err)
	}
	if got := all(theirs); got != "\x40\x41\x00gh" {
		t.Errorf("the server's stream says %q", got)
	}
	theirs.Write([]byte("ij"))
	theirs.Close()
	if got := all(str); got != "ij" {
		t.Errorf("its response is %q", got)
	}

	out, err := s.OpenUniStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(out, "half a message")
	out.CancelWrite(1<<32 - 1)
	uni, err := k.c.AcceptUniStream(ctx)
	for err == nil { // ours come first: the control stream
		b := make([]byte, 1)
		if uni.Read(b); b[0] == 0x40 {
			break
		}
		uni, err = k.c.AcceptUniStream(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := all(uni); got != "\x54\x00 reset 4294967295" {
		t.Errorf("a stream that was reset says %q", got)
	}
}

// Streams that arrive before their session wait for it, up to a limit.
func TestSessionWaiting(t *testing.T) {
	r := startSessions(t, 1, server.Config{ReadHeaderTimeout: time.Minute}, webtransport.Config{})
	k := r.talk()
	ctx, cancel := within(t)
	defer cancel()
	on, err := k.c.OpenStreamSync(ctx) // id 0, of which nothing is sent yet
	if err != nil {
		t.Fatal(err)
	}
	var early []*quic.Stream
	for range 20 {
		early = append(early, k.open(unhex(t, "4041 00 61"), true))
	}
	ended := make(chan string, len(early))
	for _, s := range early {
		go func() { ended <- all(s) }()
	}
	for range 4 {
		if got := wiretest.Within(t, "a stream is refused", ended); got != " reset WT_BUFFERED_STREAM_REJECTED" {
			t.Fatalf(`got %q, want " reset WT_BUFFERED_STREAM_REJECTED"`, got)
		}
	}
	on.Write(unhex(t, connect("webtransport", "/", "")))
	s := wiretest.Within(t, "a session", r.sessions)
	for range 16 {
		str, err := s.AcceptStream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := all(str); got != "a" {
			t.Errorf("a stream that has waited says %s", got)
		}
		str.Close()
	}
	for range 16 {
		if got := wiretest.Within(t, "a stream ends", ended); got != "" {
			t.Errorf("a stream that has waited ends with %q", got)
		}
	}
}

// A stream waits a limited time for its session and for the rest of its header, and a session for the client's settings; a stream
// that has found its session may take any time.
func TestSessionPatience(t *testing.T) {
	r := startSessions(t, 1, server.Config{ReadHeaderTimeout: time.Second}, webtransport.Config{})
	k := r.talk()
	_, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()
	slow, slowUni := k.open(unhex(t, "4041 00"), false), k.uni(unhex(t, "4054 00"))
	str, err := s.AcceptStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.AcceptUniStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 2)
	for _, from := range []io.Reader{str, in} {
		go func() {
			b, err := io.ReadAll(from)
			said <- fmt.Sprint(string(b), err)
		}()
	}
	cut := map[string]*quic.Stream{
		"a session that never comes": k.open(unhex(t, "4041 4fa0 61"), false),
		"half a header":              k.open(unhex(t, "4041"), false),
		"half a signal":              k.open(unhex(t, "40"), false),
		"half a session":             k.open(unhex(t, "4041 40"), false),
	}
	cutUni := map[string]*quic.SendStream{
		"half a type": k.uni(unhex(t, "40")), "no session": k.uni(unhex(t, "4054")), "half a session": k.uni(unhex(t, "4054 40")),
		"a session that never comes": k.uni(unhex(t, "4054 4fa0 61")),
	}
	if got := r.mute().ask(unhex(t, connect("webtransport", "/", "")), false); got != "reset H3_MESSAGE_ERROR" {
		t.Errorf(`a session of a client without settings: got %q, want "reset H3_MESSAGE_ERROR"`, got)
	}
	for what, s := range cut {
		if got := all(s); !strings.HasPrefix(got, " reset ") {
			t.Errorf(`%s: got %q, want " reset " at its start`, what, got)
		}
	}
	for what, u := range cutUni {
		wiretest.Within(t, "the end one way of "+what, u.Context().Done())
	}
	slow.Write([]byte("a"))
	slow.Close()
	slowUni.Write([]byte("a"))
	slowUni.Close()
	for range 2 {
		if got := wiretest.Within(t, "what a slow stream says", said); got != "a<nil>" {
			t.Errorf("a slow stream says %s", got)
		}
	}
}

// Malformed stream headers and datagrams end the connection.
func TestSessionHeaders(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{})
	for name, tc := range map[string]struct{ bidi, uni, datagram, want string }{
		"a session that is no request":          {bidi: "4041 01", want: "close H3_ID_ERROR"},
		"the same, one way":                     {uni: "4054 02", want: "close H3_ID_ERROR"},
		"the end in the header":                 {bidi: "4041 40", want: "close H3_FRAME_ERROR"},
		"the same, one way, ":                   {uni: "4054 40", want: "close H3_FRAME_ERROR"},
		"the signal after a frame":              {bidi: "2100 4041 00", want: "close H3_FRAME_ERROR"},
		"a datagram of nothing":                 {datagram: "40", want: "close H3_DATAGRAM_ERROR"},
		"a datagram of what cannot be a stream": {datagram: "d000000000000000", want: "close H3_DATAGRAM_ERROR"},
	} {
		k := r.talk()
		r.session(k)
		switch {
		case tc.bidi != "":
			k.open(unhex(t, tc.bidi), true)
		case tc.uni != "":
			k.uni(unhex(t, tc.uni)).Close()
		default:
			k.c.SendDatagram(unhex(t, tc.datagram))
		}
		if got := k.closed(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// Datagrams work in both directions; those of unknown sessions, and the oldest of too many, are dropped.
func TestSessionDatagrams(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{MaxQueuedDatagrams: 3})
	k := r.talk()
	_, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()
	k.c.SendDatagram(unhex(t, "07 ff"))
	wiretest.Eventually(t, "datagrams are dropped", func() bool { // some may be lost on the way
		k.c.SendDatagram([]byte{0, 'a'})
		return s.DroppedDatagrams() > 2
	})
	if p, err := s.ReceiveDatagram(ctx); err != nil || string(p) != "a" {
		t.Errorf(`got %q, %v; want "a"`, p, err)
	}
	wiretest.Eventually(t, "a datagram of the server's comes", func() bool {
		if err := s.SendDatagram(ctx, []byte("b")); err != nil {
			t.Fatal(err)
		}
		wait, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		p, err := k.c.ReceiveDatagram(wait)
		return err == nil && string(p) == "\x00b"
	})
	err := s.SendDatagram(ctx, make([]byte, 1<<16))
	if e, ok := errors.AsType[*webtransport.DatagramTooLargeError](err); !ok || e.MaxSize < 1000 || s.SendDatagram(ctx, make([]byte, e.MaxSize)) != nil {
		t.Errorf("a large datagram: %v", err)
	}
}

// The codes with which either side ends a stream arrive, and a code outside the application's range is reported as such.
func TestSessionCodes(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{})
	k := r.talk()
	_, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()
	for _, tc := range []struct {
		code h3frame.Code
		want webtransport.StreamError
	}{
		{h3frame.AppCode(0), webtransport.StreamError{HasCode: true, HTTP3Code: uint64(h3frame.AppCode(0))}},
		{h3frame.AppCode(1<<32 - 1), webtransport.StreamError{Code: 1<<32 - 1, HasCode: true, HTTP3Code: uint64(h3frame.AppCode(1<<32 - 1))}},
		{h3frame.RequestCancelled, webtransport.StreamError{HTTP3Code: uint64(h3frame.RequestCancelled)}},
	} {
		theirs := k.open(unhex(t, "4041 00 61"), false)
		str, err := s.AcceptStream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		theirs.CancelRead(quic.StreamErrorCode(tc.code))
		theirs.CancelWrite(quic.StreamErrorCode(tc.code))
		str.SetDeadline(time.Now().Add(10 * time.Second))
		_, err = io.ReadAll(str)
		if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || *e != tc.want {
			t.Errorf("a stream that was reset: %v", err)
		}
		for err = nil; err == nil; {
			_, err = str.Write(make([]byte, 1<<10))
		}
		if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || *e != tc.want {
			t.Errorf("a stream that was stopped: %v", err)
		}
		str.Close()
	}
	theirs := k.open(unhex(t, "4041 00 61"), false)
	str, err := s.AcceptStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	str.SetDeadline(time.Now().Add(-time.Second))
	if _, err := io.ReadAll(str); err != os.ErrDeadlineExceeded {
		t.Errorf("a read after its deadline: got %v, want %v", err, os.ErrDeadlineExceeded)
	}
	str.CancelRead(30)
	str.CancelWrite(31)
	if _, err := str.Read(make([]byte, 1)); err != net.ErrClosed {
		t.Errorf("a read of what was stopped: got %v, want %v", err, net.ErrClosed)
	}
	if _, err := str.Write([]byte("a")); err != net.ErrClosed {
		t.Errorf("a write to what was reset: got %v, want %v", err, net.ErrClosed)
	}
	if got := all(theirs); got != " reset 31" {
		t.Errorf("the client reads %s", got)
	}
	wiretest.Within(t, "the stop", theirs.Context().Done())
	if _, err := theirs.Write([]byte("a")); !strings.HasSuffix(ending(err), h3frame.AppCode(30).String()) {
		t.Errorf("the client writes: %v", err)
	}
}

// A client may open any number of streams one after another, whichever side ends them.
func TestSessionCredit(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{})
	k := r.talk()
	_, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()
	for i := range 250 {
		theirs := k.open(unhex(t, "4041 00"), i%2 == 0)
		str, err := s.AcceptStream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		str.Close()
		theirs.CancelWrite(0x10c)
		theirs.CancelRead(0x10c)
		u, err := k.c.OpenUniStreamSync(ctx)
		if err != nil {
			t.Fatal(err)
		}
		u.Write(unhex(t, "4054 00"))
		in, err := s.AcceptUniStream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		in.CancelRead(0)
		u.Close()
	}
}
