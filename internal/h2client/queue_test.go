package h2client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2client"
	xhttp2 "golang.org/x/net/http2"
)

// strict returns a rig whose servers take n requests at once, and which opens no second connection.
func strict(t *testing.T, n uint32) *rig {
	r := newRig(t, h2client.Config{})
	r.Strict, r.grants = true, []xhttp2.Setting{streams(n)}
	return r
}

// waits begins a request that waits for room, as the nth of those who do.
func (r *rig) waits(ctx context.Context, n int) *call {
	r.t.Helper()
	k := r.start(ctx, false)
	eventually(r.t, "the request to wait", func() bool { return r.Conns()[0].Waiting() == n })
	return k
}

// TestQueue: who waits for room begins in the order in which they came, each when another has left; who gives up is passed
// over.
func TestQueue(t *testing.T) {
	r := strict(t, 1)
	k, p := r.first()
	second := r.waits(t.Context(), 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	mine := errors.New("mine")
	third, fourth := r.waits(ctx, 2), r.waits(t.Context(), 3)
	p.idle()
	cancel(mine)
	if err := third.failed(); err != mine {
		t.Errorf("got %v", err)
	}
	p.ok(1, true)
	k.status()
	k.leave() // only now is there room: what the stream holds is not given back before
	second.begun()
	p.want("HEADERS 3" + asked + " END")
	p.idle()
	if len(fourth.started) > 0 {
		t.Fatal("two at once")
	}
	second.leave()
	fourth.begun()
	p.want("RST_STREAM 3 CANCEL", "HEADERS 5"+asked+" END")
	fourth.leave()
	p.want("RST_STREAM 5 CANCEL")
	r.begin().leave() // nobody is counted who has not come
}

// TestQueuePassesOn: who gives up at the moment in which there is room leaves that to the next.
func TestQueuePassesOn(t *testing.T) {
	r := strict(t, 1)
	k, _ := r.first()
	ctx, cancel := context.WithCancel(t.Context())
	second := r.waits(ctx, 1)
	third := r.waits(t.Context(), 2)
	k.Leave(cancel) // before the second is admitted, which cannot look before that
	if err := second.failed(); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	third.begun()
	third.leave()
}

// TestQueueWithoutWaiting: who does not wait is told that there is no room.
func TestQueueWithoutWaiting(t *testing.T) {
	r := strict(t, 1)
	k, _ := r.first()
	var x h2client.Exchange
	begun, err := k.Conn().Start(&x, get{}, false, false, nil)
	if begun || err != h2client.ErrFull || !h2client.Untouched(err) {
		t.Errorf("got %v, %v", begun, err)
	}
	k.leave()
}

// TestQueueSettings: a server that grants more has those come who wait.
func TestQueueSettings(t *testing.T) {
	r := strict(t, 1)
	k, p := r.first()
	second, third, fourth := r.waits(t.Context(), 1), r.waits(t.Context(), 2), r.waits(t.Context(), 3)
	_ = p.fr.WriteSettings(streams(3))
	second.begun()
	third.begun()
	for range 3 {
		if _, err := p.next(); err != nil {
			t.Fatal(err)
		}
	}
	if p.idle(); len(fourth.started) > 0 {
		t.Error("four at once")
	}
	for _, k := range []*call{k, second, third} {
		k.leave()
	}
	fourth.begun()
	fourth.leave()
}

// TestQueueDismissed: when the connection takes no more requests, who waits goes elsewhere, and who is under way comes to
// the end.
func TestQueueDismissed(t *testing.T) {
	for name, end := range map[string]func(r *rig, p *peer){
		"GOAWAY": func(_ *rig, p *peer) { p.goAway(1, xhttp2.ErrCodeNo) },
		"closed": func(r *rig, p *peer) { r.Conns()[0].Close(); p.want("GOAWAY 0 NO_ERROR") },
	} {
		t.Run(name, func(t *testing.T) {
			r := strict(t, 1)
			k, p := r.first()
			c := r.Conns()[0]
			second := r.waits(t.Context(), 1)
			end(r, p)
			second.begun() // on another connection
			other := within(t, "the other connection", r.dialed)
			other.want("HEADERS 1" + asked + " END")
			if c.Usable() || second.Conn() == c {
				t.Error("the connection is used")
			}
			if gone := c.GoAway(); (gone != nil) != (name == "GOAWAY") || gone != nil && gone.Error() == "" {
				t.Errorf("got %v", gone)
			}
			var x h2client.Exchange
			if begun, err := c.Start(&x, get{}, false, true, nil); begun || err != http2.ErrGoingAway {
				t.Errorf("got %v, %v", begun, err)
			}
			p.ok(1, true)
			if k.status() != 200 {
				t.Error("the first request did not come to its end")
			}
			k.leave()
			r.until("the connection to end", func() bool { return r.eng.Stats().Open == 1 })
			second.leave()
		})
	}
}

// TestQueueOfTheEnded: the same where the connection ends.
func TestQueueOfTheEnded(t *testing.T) {
	for name, end := range map[string]func(r *rig, p *peer){
		"half closed": func(_ *rig, p *peer) { p.halfClose() },
		"closed":      func(_ *rig, p *peer) { _ = p.nc.Close() },
		"broken":      func(_ *rig, p *peer) { _ = p.fr.WriteRawFrame(xhttp2.FramePing, 0, 0, nil) },
		"aborted":     func(r *rig, _ *peer) { r.Conns()[0].Abort() },
	} {
		t.Run(name, func(t *testing.T) {
			r := strict(t, 1)
			k, p := r.first()
			second := r.waits(t.Context(), 1)
			end(r, p)
			second.begun()
			within(t, "the other connection", r.dialed).want("HEADERS 1" + asked + " END")
			if err := within(t, "Await", k.awaits(nil)); err == nil {
				t.Error("no error")
			}
			if err := k.Failed(errors.New("mine")); err.Error() != "mine" {
				t.Errorf("got %v", err)
			}
			k.leave()
			second.leave()
		})
	}
}
