package http3_test

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"

	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/internal/h3frame"
	"github.com/shockwave-go/shockwave/internal/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// TestSessionStreams: streams both ways, with what they say, and with the codes by which they are given up.
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
		t.Errorf("the answer is %q", got)
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
		t.Errorf("its answer is %q", got)
	}

	out, err := s.OpenUniStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(out, "half a message")
	out.Reset(1<<32 - 1)
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

// TestSessionEnds: how a session ends, and what each side sees of it. Its streams have gone then.
func TestSessionEnds(t *testing.T) {
	long := hex.EncodeToString(make([]byte, 1100))
	for name, tc := range map[string]struct {
		in    string // on the stream of the CONNECT
		fin   bool
		cause string
		back  string // what the client gets there
	}{
		"close":              {data(t, "6843 06 00000007 6869"), true, `webtransport: session closed by the client: code 7, "hi"`, "end"},
		"close in pieces":    {data(t, "68") + data(t, "43 06 000000") + data(t, "07 6869"), true, `webtransport: session closed by the client: code 7, "hi"`, "end"},
		"end without a word": {"", true, "webtransport: session closed by the client: code 0", "end"},
		"unknown, close":     {data(t, "21 03 616263") + data(t, "6843 04 00000000"), true, "webtransport: session closed by the client: code 0", "end"},
		"more behind close":  {data(t, "6843 04 00000000 00"), false, "webtransport: session closed by the client: code 0", "reset H3_MESSAGE_ERROR"},
		"half a capsule":     {data(t, "6843 04 00"), true, "http3: stream ends inside a capsule (H3_MESSAGE_ERROR, RFC 9297 §3.3)", "reset H3_MESSAGE_ERROR"},
		"long reason":        {"00 4454 6843 4450 " + long, false, "http3: capsule that is longer than its type allows (H3_MESSAGE_ERROR, draft-ietf-webtrans-http3 §6)", "reset H3_MESSAGE_ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startSessions(t, 1, server.Config{}, webtransport.Config{})
			k := r.talk()
			on, s := r.session(k)
			theirs := k.open(unhex(t, "4041 00 61"), false)
			ctx, cancel := within(t)
			defer cancel()
			str, err := s.AcceptStream(ctx)
			if err != nil {
				t.Fatal(err)
			}
			on.Write(unhex(t, tc.in))
			if tc.fin {
				on.Close()
			}
			if got := whyEnded(t, s); got != tc.cause {
				t.Errorf("the session has ended with %s, want %s", got, tc.cause)
			}
			if got := k.capsules(on); got != tc.back {
				t.Errorf("the client gets %s, want %s", got, tc.back)
			}
			if got := all(theirs); got != " reset WT_SESSION_GONE" {
				t.Errorf("its stream says %s", got)
			}
			if _, err := str.Read(make([]byte, 9)); err != context.Cause(s.Context()) {
				t.Errorf("the server's end of the stream says %v", err)
			}
			for what, err := range map[string]error{
				"AcceptStream": second(s.AcceptStream(ctx)), "OpenStream": second(s.OpenStream(ctx)), "SendDatagram": s.SendDatagram(ctx, nil),
				"ReceiveDatagram": second(s.ReceiveDatagram(ctx)), "AcceptUniStream": second(s.AcceptUniStream(ctx)),
			} {
				if err != context.Cause(s.Context()) {
					t.Errorf("%s after the end: %v", what, err)
				}
			}
			if err := s.Close(1, ""); err != net.ErrClosed {
				t.Errorf("Close after the end: %v", err)
			}
			if got := k.ask(unhex(t, get), true); got != "200 GET 3 a.test" {
				t.Errorf("a request behind the session: %s", got)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// TestSessionClose: the server closes, and a client that goes on is not waited for.
func TestSessionClose(t *testing.T) {
	for name, theirEnd := range map[string]bool{"the client ends its side": true, "the client does not": false} {
		t.Run(name, func(t *testing.T) {
			r := startSessions(t, 1, server.Config{}, webtransport.Config{CloseTimeout: time.Second})
			k := r.talk()
			on, s := r.session(k)
			closed := make(chan error, 1)
			go func() { closed <- s.Close(1<<32-1, "goodbye, wörld") }()
			if got := k.capsules(on); got != `close 4294967295 "goodbye, wörld" end` {
				t.Errorf("the client gets %s", got)
			}
			if theirEnd {
				on.Close()
			}
			if err := wiretest.Within(t, "Close", closed); err != nil {
				t.Error(err)
			}
			if got := whyEnded(t, s); got != `webtransport: session closed by the server: code 4294967295, "goodbye, wörld"` {
				t.Error(got)
			}
			if got := all(k.open(unhex(t, "4041 00 61"), false)); got != " reset WT_SESSION_GONE" {
				t.Errorf("a stream behind the end says %s", got)
			}
			r.session(k) // another one may be opened
		})
	}
}

// TestSessionRefused: requests that do not open a session.
func TestSessionRefused(t *testing.T) {
	r := startSessions(t, 2, server.Config{}, webtransport.Config{})
	for name, tc := range map[string]struct{ settings, in, want string }{
		"a foreign page":   {sessionSettings, connect("webtransport", "/", "|origin https://b.test"), "403"},
		"the own page":     {sessionSettings, connect("webtransport", "/", "|origin https://a.test"), "200"},
		"another protocol": {sessionSettings, connect("connect-udp", "/", ""), "405"},
		"GET":              {sessionSettings, "[:method GET|:scheme https|:authority a.test|:path /]", "405"},
		"the handler":      {sessionSettings, connect("webtransport-h3", "/refuse", ""), "404"},
		"no datagrams":     {"00 0400", connect("webtransport", "/", ""), "reset H3_MESSAGE_ERROR"},
		"an early draft":   {sessionSettings, connect("webtransport", "/", "|sec-webtransport-http3-draft02 1"), "200"},
		"the last draft":   {sessionSettings, connect("webtransport-h3", "/", ""), "200"},
		"no authority":     {sessionSettings, "[:method CONNECT|:protocol webtransport|:scheme https|:path /]", "reset H3_MESSAGE_ERROR"},
	} {
		k := r.mute()
		k.uni(unhex(t, tc.settings))
		if got := k.status(k.open(unhex(t, tc.in), false)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestSessionLimit: more sessions than allowed are rejected, a refused one counts no more, and the last draft allows one.
func TestSessionLimit(t *testing.T) {
	r := startSessions(t, 2, server.Config{}, webtransport.Config{})
	k := r.talk()
	first, _ := r.session(k)
	k.status(k.open(unhex(t, connect("webtransport", "/refuse", "")), true))
	if got := k.status(k.open(unhex(t, connect("webtransport-h3", "/", "")), false)); got != "reset H3_REQUEST_REJECTED" {
		t.Errorf("a second one of the last draft: %s", got)
	}
	wiretest.Eventually(t, "the refused one counts no more", func() bool {
		return k.status(k.open(unhex(t, connect("webtransport", "/", "")), false)) == "200"
	})
	if got := k.status(k.open(unhex(t, connect("webtransport", "/", "")), false)); got != "reset H3_REQUEST_REJECTED" {
		t.Errorf("a third one: %s", got)
	}
	first.Close()
	wiretest.Eventually(t, "place for another one", func() bool {
		return k.status(k.open(unhex(t, connect("webtransport", "/", "")), false)) == "200"
	})
}

// TestSessionWaiting: streams that come before their session wait for it, but not too many.
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
			t.Fatal(got)
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

// TestSessionPatience: nothing waits for ever: a stream for its session, a stream's front, a session for the client's settings.
func TestSessionPatience(t *testing.T) {
	r := startSessions(t, 1, server.Config{ReadHeaderTimeout: 100 * time.Millisecond}, webtransport.Config{})
	k := r.talk()
	for what, b := range map[string]string{"a session that never comes": "4041 4fa0 61", "half a header": "4041", "nothing": "40"} {
		if got := all(k.open(unhex(t, b), false)); !strings.HasPrefix(got, " reset ") {
			t.Errorf("%s: %s", what, got)
		}
	}
	for _, front := range []string{"", "40", "4054", "4054 4f"} {
		u := k.uni(append(unhex(t, front), 0x40)) // half a number more
		wiretest.Within(t, "the end of a stream without a front", u.Context().Done())
	}
	if got := r.mute().ask(unhex(t, connect("webtransport", "/", "")), false); got != "reset H3_MESSAGE_ERROR" {
		t.Errorf("a session of a client without settings: %s", got)
	}
}

// TestSessionHeaders: headers of streams, and datagrams, that end the connection.
func TestSessionHeaders(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{})
	for name, tc := range map[string]struct{ bidi, uni, datagram, want string }{
		"a session that is no request":          {bidi: "4041 01", want: "close H3_ID_ERROR"},
		"the same, one way":                     {uni: "4054 02", want: "close H3_ID_ERROR"},
		"the end in the header":                 {bidi: "4041 40", want: "close H3_FRAME_ERROR"},
		"the same, one way, ":                   {uni: "4054 40", want: "close H3_FRAME_ERROR"},
		"the signal behind a frame":             {bidi: "2100 4041 00", want: "close H3_FRAME_ERROR"},
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

// TestSessionDatagrams: datagrams both ways; those of unknown sessions are dropped, and of more than are taken the oldest.
func TestSessionDatagrams(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{MaxDatagrams: 3})
	k := r.talk()
	_, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()
	k.c.SendDatagram(unhex(t, "07 ff"))
	wiretest.Eventually(t, "datagrams are dropped", func() bool { // some may be lost on the way
		k.c.SendDatagram([]byte{0, 'a'})
		return s.Dropped() > 2
	})
	if p, err := s.ReceiveDatagram(ctx); err != nil || string(p) != "a" {
		t.Errorf("%q, %v", p, err)
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
	if e, ok := errors.AsType[*webtransport.DatagramTooLargeError](err); !ok || e.Most < 1000 || s.SendDatagram(ctx, make([]byte, e.Most)) != nil {
		t.Errorf("a large datagram: %v", err)
	}
}

// TestSessionBudget: capsules that mean nothing use a client's budget up; an honest client has some of them, and long ones.
func TestSessionBudget(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{})
	honest := r.talk()
	on, s := r.session(honest)
	on.Write(unhex(t, "00 44ff 21 44fc"+strings.Repeat("61", 1276)))
	for range 50 {
		on.Write(unhex(t, data(t, "21 00 5901 00")))
	}
	hostile := r.talk()
	theirs, other := r.session(hostile)
	for range 3000 {
		if _, err := theirs.Write(unhex(t, data(t, "21 00"))); err != nil {
			break
		}
	}
	if got := hostile.closed(); got != "close H3_EXCESSIVE_LOAD" {
		t.Errorf("a client of 3000 capsules: %s", got)
	}
	whyEnded(t, other)
	on.Write(unhex(t, data(t, "6843 04 00000005")))
	on.Close()
	if got := whyEnded(t, s); got != "webtransport: session closed by the client: code 5" {
		t.Errorf("the honest session has ended with %s", got)
	}
}

// TestSessionShutdown: at Shutdown sessions are asked to end, go on until they do, and get new streams meanwhile; requests do not.
func TestSessionShutdown(t *testing.T) {
	r := startSessions(t, 2, server.Config{}, webtransport.Config{})
	k := r.talk()
	on, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()
	if err := r.s.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	wiretest.Within(t, "the signal to drain", s.Draining())
	k.open(unhex(t, "4041 00 61"), true)
	str, err := s.AcceptStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(str); got != "a" {
		t.Errorf("a stream after Shutdown says %s", got)
	}
	if got := k.ask(unhex(t, get), true); got != "reset H3_REQUEST_REJECTED" {
		t.Errorf("a request after Shutdown: %s", got)
	}
	on.Write(unhex(t, data(t, "6843 04 00000000")))
	on.Close()
	if got := k.capsules(on); got != "drain end" {
		t.Errorf("the client gets %s", got)
	}
	if got := k.closed(); got != "close H3_NO_ERROR" {
		t.Errorf("the connection: %s", got)
	}
}

// TestSessionServerClose: Close of the server ends sessions.
func TestSessionServerClose(t *testing.T) {
	r := startSessions(t, 2, server.Config{}, webtransport.Config{})
	_, s := r.session(r.talk())
	r.s.Close()
	if got := whyEnded(t, s); !strings.Contains(got, "session broken") {
		t.Error(got)
	}
}

// TestSessionNetHTTP: a handler of net/http's has sessions, which outlive it, but not its panic. What it has set is in the answer.
func TestSessionNetHTTP(t *testing.T) {
	sessions := make(chan *webtransport.Session, 2)
	protocols := make(chan string, 2)
	mux := http.NewServeMux()
	mux.HandleFunc("CONNECT /{what}", func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Mood", "good")
		s, err := webtransport.Accept(w, q, webtransport.Config{Protocols: []string{"b", "a"}})
		if err != nil {
			t.Error(err)
			return
		}
		protocols <- s.Protocol()
		sessions <- s
		if q.PathValue("what") == "panic" {
			panic("of the handler")
		}
	})
	cert, _ := certificate()
	srv := &nethttp.Server{Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}, ErrorLog: log.New(io.Discard, "", 0)}
	r := &sessionRig{rig: serveWith(t, srv, http3.Config{WebTransportSessions: 2}), sessions: sessions}
	k := r.talk()
	s := k.open(unhex(t, connect("webtransport", "/x", `|wt-available-protocols "c", "a";v=1, "b"|sec-webtransport-http3-draft02 1`)), false)
	if got := k.fields(s); got != `:status=200 mood=good sec-webtransport-http3-draft=draft02 wt-protocol="a"` {
		t.Errorf("the answer has %s", got)
	}
	lasting := wiretest.Within(t, "a session", sessions)
	if p := <-protocols; p != "a" {
		t.Errorf("the protocol is %q", p)
	}
	ctx, cancel := within(t)
	defer cancel()
	failing := k.open(unhex(t, connect("webtransport", "/panic", "")), false)
	if got := whyEnded(t, wiretest.Within(t, "the second session", sessions)); !strings.Contains(got, "has panicked") {
		t.Errorf("the session of a handler that panicked ends with %s", got)
	}
	if got := all(failing); !strings.HasSuffix(got, "reset H3_INTERNAL_ERROR") {
		t.Errorf("its client gets %q", got)
	}
	k.open(unhex(t, "4041 00 61"), true)
	str, err := lasting.AcceptStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(str); got != "a" {
		t.Errorf("the other session's stream says %s", got)
	}
}

// TestSessionsNotOffered: a server that is not told to have sessions announces none, and has none.
func TestSessionsNotOffered(t *testing.T) {
	accepted := make(chan error, 1)
	r := &sessionRig{rig: start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, q *server.Request) {
		_, err := webtransport.Upgrade(w, q, webtransport.Config{})
		accepted <- err
	})}, http3.Config{})}
	k := r.mute()
	if k.c.ConnectionState().SupportsDatagrams.Remote {
		t.Error("datagrams are offered")
	}
	ctx, cancel := within(t)
	defer cancel()
	control, err := k.c.AcceptUniStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	n, _ := control.Read(b)
	var c h3frame.Control
	if bad := c.Read(b[1:n], func(ev *h3frame.Event) {
		if set := ev.Settings; set.Datagrams || set.WebTransport || set.WebTransportSessions != 0 {
			t.Errorf("the settings are %+v", set)
		}
	}); bad != nil {
		t.Error(bad)
	}
	k.uni(unhex(t, sessionSettings))
	if got := all(k.open(unhex(t, connect("webtransport", "/", "")), false)); !strings.HasSuffix(got, "reset H3_REQUEST_CANCELLED") {
		t.Errorf("a session: %q", got)
	}
	if err := wiretest.Within(t, "the handler", accepted); err == nil || !strings.Contains(err.Error(), "WebTransportSessions is 0") {
		t.Errorf("the handler gets %v", err)
	}
	if got := k.ask(unhex(t, "4041 00"), true); got != "close H3_FRAME_UNEXPECTED" {
		t.Errorf("a stream of a session: %s", got)
	}
}

// TestSessionCodes: how streams are given up, by either side; a code that is not an application's is told as that.
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
		{h3frame.AppCode(0), webtransport.StreamError{App: true, Wire: uint64(h3frame.AppCode(0))}},
		{h3frame.AppCode(1<<32 - 1), webtransport.StreamError{Code: 1<<32 - 1, App: true, Wire: uint64(h3frame.AppCode(1<<32 - 1))}},
		{h3frame.RequestCancelled, webtransport.StreamError{Wire: uint64(h3frame.RequestCancelled)}},
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
		t.Errorf("a read behind its deadline: %v", err)
	}
	str.Stop(30)
	str.Reset(31)
	if _, err := str.Read(make([]byte, 1)); err != net.ErrClosed {
		t.Errorf("a read of what was stopped: %v", err)
	}
	if _, err := str.Write([]byte("a")); err != net.ErrClosed {
		t.Errorf("a write to what was reset: %v", err)
	}
	if got := all(theirs); got != " reset 31" {
		t.Errorf("the client reads %s", got)
	}
	wiretest.Within(t, "the stop", theirs.Context().Done())
	if _, err := theirs.Write([]byte("a")); !strings.HasSuffix(ending(err), h3frame.AppCode(30).String()) {
		t.Errorf("the client writes: %v", err)
	}
}

// TestSessionCredit: a client may open as many streams as it likes, one after the other, whoever ends them and however.
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
		in.Stop(0)
		u.Close()
	}
}
