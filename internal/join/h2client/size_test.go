package h2client_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// A request whose head is larger than the server accepts is not sent and fails at once (RFC 9113 §10.5.1). The connection
// goes on.
func TestHeadTooLargeForTheServer(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	limit := func(n uint32) {
		t.Helper()
		if err := p.Framer.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxHeaderListSize, Val: n}); err != nil {
			t.Fatal(err)
		}
		p.Want("SETTINGS ack")
	}
	limit(100)
	err := r.start(context.Background(), false).failed()
	if rule, ok := errors.AsType[*http2.Error](err); !ok || rule != http2.ErrHeadersTooLarge || h2client.Unprocessed(err) {
		t.Errorf("the request failed with %v", err)
	}
	limit(1000)
	other := r.begin()
	p.Want("HEADERS 3" + asked + " END")
	p.ok(1, true)
	p.ok(3, true)
	if k.status() != 200 || other.status() != 200 {
		t.Errorf("got %d, %d", k.Status, other.Status)
	}
	k.leave()
	other.leave()
}

// A request whose trailer section is larger than the server accepts is cancelled: a server that reads the body to its end would wait
// for it, and the response would never come.
func TestTrailersTooLargeForTheServer(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k := r.start(context.Background(), true)
	p := wiretest.Within(t, "the connection", r.dialed)
	k.begun()
	p.Want("HEADERS 1" + asked)
	if err := p.Framer.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxHeaderListSize, Val: 100}); err != nil {
		t.Fatal(err)
	}
	p.Want("SETTINGS ack")
	heads := k.awaits(nil)
	if err := k.SendTrailers([]http2.Field{{Name: "x-sum", Value: strings.Repeat("4", 100)}}); err != http2.ErrHeadersTooLarge {
		t.Errorf("SendTrailers returned %v", err)
	}
	p.Want("RST_STREAM 1 CANCEL")
	if err := wiretest.Within(t, "the response to fail", heads); err != http2.ErrHeadersTooLarge {
		t.Errorf("Await returned %v", err)
	}
	if k.Leave(nil) {
		t.Error("the reader is still there")
	}
	k.leave()
}

// A connection that was opened for a request with a head that is too large counts as idle, so that others may close it.
func TestHeadTooLargeLeavesAnIdleConnection(t *testing.T) {
	idle := make(chan *h2client.Conn, 4)
	r := newRig(t, h2client.Config{Idle: func(c *h2client.Conn) { idle <- c }})
	k, p := r.first()
	if err := p.Framer.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxHeaderListSize, Val: 100}); err != nil {
		t.Fatal(err)
	}
	p.Want("SETTINGS ack")
	p.ok(1, true)
	k.status()
	k.leave()
	wiretest.Within(t, "the connection to be idle", idle)
	_ = r.start(context.Background(), false).failed()
	wiretest.Within(t, "the connection to be idle again", idle)
}
