package http3_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// Shutdown asks sessions to end; until they end they go on and get new streams, while new requests are refused.
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
		t.Errorf(`a request after Shutdown: got %q, want "reset H3_REQUEST_REJECTED"`, got)
	}
	on.Write(unhex(t, data(t, "6843 04 00000000")))
	on.Close()
	if got := k.capsules(on); got != "drain end" {
		t.Errorf("the client gets %s", got)
	}
	if got := k.closed(); got != "close H3_NO_ERROR" {
		t.Errorf(`the connection: got %q, want "close H3_NO_ERROR"`, got)
	}
}

// Close of the server ends sessions.
func TestSessionServerClose(t *testing.T) {
	r := startSessions(t, 2, server.Config{}, webtransport.Config{})
	_, s := r.session(r.talk())
	r.s.Close()
	if got := whyEnded(t, s); !strings.Contains(got, "session broken") {
		t.Errorf(`got %q, want "session broken" in it`, got)
	}
}

// A session goes on after its net/http handler has returned, but not after it panics, and the response has the fields that the
// handler set.
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
		t.Errorf("the response has %s", got)
	}
	lasting := wiretest.Within(t, "a session", sessions)
	if p := <-protocols; p != "a" {
		t.Errorf("the protocol is %q", p)
	}
	ctx, cancel := within(t)
	defer cancel()
	failing := k.open(unhex(t, connect("webtransport", "/panic", "")), false)
	if got := whyEnded(t, wiretest.Within(t, "the second session", sessions)); !strings.Contains(got, "panicked") {
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

// A server without WebTransportSessions announces none and accepts none.
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
		t.Errorf(`a session: got %q, want "reset H3_REQUEST_CANCELLED" at its end`, got)
	}
	if err := wiretest.Within(t, "the handler", accepted); err == nil || !strings.Contains(err.Error(), "WebTransport is not offered") {
		t.Errorf("the handler gets %v", err)
	}
	if got := k.ask(unhex(t, "4041 00"), true); got != "close H3_FRAME_UNEXPECTED" {
		t.Errorf(`a stream of a session: got %q, want "close H3_FRAME_UNEXPECTED"`, got)
	}
}
