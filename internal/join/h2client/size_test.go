package h2client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
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
		t.Errorf("it fails with %v", err)
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
