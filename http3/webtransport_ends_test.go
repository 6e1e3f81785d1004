package http3_test

import (
	"context"
	"encoding/hex"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// Both sides see how a session ends, and its streams end with it.
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
		"more after close":   {data(t, "6843 04 00000000 00"), false, "webtransport: session closed by the client: code 0", "reset H3_MESSAGE_ERROR"},
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
					t.Errorf("%s after the end: got %v, want %v", what, err, context.Cause(s.Context()))
				}
			}
			if err := s.Close(1, ""); err != net.ErrClosed {
				t.Errorf("Close after the end: got %v, want %v", err, net.ErrClosed)
			}
			if got := k.ask(unhex(t, get), true); got != "200 GET 3 a.test" {
				t.Errorf(`a request after the session: got %q, want "200 GET 3 a.test"`, got)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// A server that closes a session does not wait for a client that goes on.
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
			r.session(k) // another one may be opened, although the stream of this one goes on
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
				t.Errorf("a stream after the end says %s", got)
			}
		})
	}
}

// Requests that cannot open a session get an error response.
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

// Sessions beyond the limit are rejected, a refused one does not count, and with the last draft one is allowed.
func TestSessionLimit(t *testing.T) {
	r := startSessions(t, 2, server.Config{}, webtransport.Config{})
	k := r.talk()
	first, _ := r.session(k)
	k.status(k.open(unhex(t, connect("webtransport", "/refuse", "")), true))
	if got := k.status(k.open(unhex(t, connect("webtransport-h3", "/", "")), false)); got != "reset H3_REQUEST_REJECTED" {
		t.Errorf(`a second one of the last draft: got %q, want "reset H3_REQUEST_REJECTED"`, got)
	}
	wiretest.Eventually(t, "the refused one counts no more", func() bool {
		return k.status(k.open(unhex(t, connect("webtransport", "/", "")), false)) == "200"
	})
	if got := k.status(k.open(unhex(t, connect("webtransport", "/", "")), false)); got != "reset H3_REQUEST_REJECTED" {
		t.Errorf(`a third one: got %q, want "reset H3_REQUEST_REJECTED"`, got)
	}
	first.Close()
	wiretest.Eventually(t, "place for another one", func() bool {
		return k.status(k.open(unhex(t, connect("webtransport", "/", "")), false)) == "200"
	})
}

// Unknown capsules use up a client's budget, but a few of them, even long ones, do no harm.
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
		t.Errorf(`a client of 3000 capsules: got %q, want "close H3_EXCESSIVE_LOAD"`, got)
	}
	whyEnded(t, other)
	on.Write(unhex(t, data(t, "6843 04 00000005")))
	on.Close()
	if got := whyEnded(t, s); got != "webtransport: session closed by the client: code 5" {
		t.Errorf("the honest session has ended with %s", got)
	}
}

// Close does not wait for a client that reads nothing.
func TestSessionCloseUntold(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{CloseTimeout: 100 * time.Millisecond})
	_, pool := certificate()
	c, err := quic.DialAddr(t.Context(), r.addr, clientTLS(pool), &quic.Config{
		EnableDatagrams: true, InitialStreamReceiveWindow: 256, MaxStreamReceiveWindow: 256,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseWithError(0x100, "")
	k := &talk{r.rig, c}
	k.uni(unhex(t, sessionSettings))
	_, s := r.session(k)
	closed := make(chan error, 1)
	go func() { closed <- s.Close(1, strings.Repeat("x", 1000)) }()
	wiretest.Within(t, "Close", closed)
	if got := whyEnded(t, s); !strings.Contains(got, "closed by the server: code 1") {
		t.Errorf("the session has ended with %s", got)
	}
	r.session(k) // its place is free
}
