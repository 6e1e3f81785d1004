package h2client_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// strict returns a rig whose servers take n requests at once, and which opens only one connection.
func strict(t *testing.T, n uint32) *rig {
	r := newRig(t, h2client.Config{})
	r.Strict, r.grants = true, []xhttp2.Setting{streams(n)}
	return r
}

// waits begins a request that must wait for room as the nth in the queue.
func (r *rig) waits(ctx context.Context, n int) *call {
	r.t.Helper()
	k := r.start(ctx, false)
	r.waiting(n)
	return k
}

// waiting returns when n requests wait.
func (r *rig) waiting(n int) {
	r.t.Helper()
	wiretest.Eventually(r.t, "the request to wait", func() bool { c := r.Conns(); return len(c) > 0 && c[0].Waiting() == n })
}

// Requests that wait for room begin in their order, one for each that ends. Canceled ones are skipped.
func TestQueue(t *testing.T) {
	r := strict(t, 1)
	k, p := r.first()
	second := r.waits(t.Context(), 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	mine := errors.New("mine")
	third, fourth := r.waits(ctx, 2), r.waits(t.Context(), 3)
	p.WantIdle()
	cancel(mine)
	if err := third.failed(); err != mine {
		t.Errorf("got %v", err)
	}
	p.ok(1, true)
	k.status()
	k.leave() // only now is there room: the stream keeps its place until then
	second.begun()
	p.Want("HEADERS 3" + asked + " END")
	p.WantIdle()
	if len(fourth.started) > 0 {
		t.Fatal("two at once")
	}
	second.leave()
	fourth.begun()
	p.Want("RST_STREAM 3 CANCEL", "HEADERS 5"+asked+" END")
	fourth.leave()
	p.Want("RST_STREAM 5 CANCEL")
	r.begin().leave() // a request that gave up no longer counts
}

// A request that is canceled when it was just admitted passes the room on to the next one.
func TestQueuePassesOn(t *testing.T) {
	r := strict(t, 1)
	k, _ := r.first()
	ctx, cancel := context.WithCancel(t.Context())
	second := r.waits(ctx, 1)
	third := r.waits(t.Context(), 2)
	k.Leave(func(bool) { cancel() }) // before the second is admitted, which cannot look before that
	if err := second.failed(); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	third.begun()
	third.leave()
}

// A request that does not wait gets ErrFull.
func TestQueueWithoutWaiting(t *testing.T) {
	r := strict(t, 1)
	k, _ := r.first()
	var x h2client.Exchange
	begun, err := k.Conn().Start(&x, get{}, false, false, nil)
	if begun || err != h2client.ErrFull || !h2client.Unprocessed(err) {
		t.Errorf("got %v, %v", begun, err)
	}
	k.leave()
}

// A connection on which requests wait is not idle, even if none has begun.
func TestQueueIsNotIdle(t *testing.T) {
	r := strict(t, 0)
	r.cfg.IdleTimeout = time.Second
	k := r.start(t.Context(), false)
	p := wiretest.Within(t, "the connection", r.dialed)
	r.waiting(1)
	ctx, cancel := context.WithCancel(t.Context())
	second := r.waits(ctx, 2)
	r.CloseIdle()
	r.passes(3*time.Second, p)
	_ = p.Framer.WriteSettings(streams(1))
	k.begun()
	_ = p.Framer.WriteSettings(streams(0))
	p.Want("SETTINGS ack", "HEADERS 1"+asked+" END", "SETTINGS ack")
	k.leave()
	p.Want("RST_STREAM 1 CANCEL")
	r.passes(3*time.Second, p)
	cancel() // now it is
	_ = second.failed()
	r.until("the connection to end", func() bool { return len(r.Conns()) == 0 })
	p.Want("GOAWAY 0 NO_ERROR")
}

// A request that comes when the server has just closed its side uses another connection.
func TestQueueAtTheEnd(t *testing.T) {
	r := strict(t, 1)
	k, _ := r.first()
	c := k.Conn()
	k.leave()
	c.Conn.EndOfInput(io.EOF) // the first half of the work for the end of input
	if !c.Usable() {
		t.Fatal("the pool knows the connection")
	}
	var x h2client.Exchange
	if begun, err := c.Start(&x, get{}, false, true, nil); begun || !h2client.Unprocessed(err) || c.Usable() {
		t.Errorf("got %v, %v; usable: %v", begun, err, c.Usable())
	}
}

// Waiting requests begin when the server raises its limit.
func TestQueueSettings(t *testing.T) {
	r := strict(t, 1)
	k, p := r.first()
	second, third, fourth := r.waits(t.Context(), 1), r.waits(t.Context(), 2), r.waits(t.Context(), 3)
	_ = p.Framer.WriteSettings(streams(3))
	second.begun()
	third.begun()
	for range 3 {
		if _, err := p.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if p.WantIdle(); len(fourth.started) > 0 {
		t.Error("four at once")
	}
	for _, k := range []*call{k, second, third} {
		k.leave()
	}
	fourth.begun()
	fourth.leave()
}

// When the connection takes no more requests, waiting ones use another, and those that have begun are
// completed.
func TestQueueDismissed(t *testing.T) {
	for name, end := range map[string]func(r *rig, p *peer){
		"GOAWAY": func(_ *rig, p *peer) { p.goAway(1, xhttp2.ErrCodeNo) },
		"closed": func(r *rig, p *peer) { r.Conns()[0].Close(); p.Want("GOAWAY 0 NO_ERROR") },
	} {
		t.Run(name, func(t *testing.T) {
			r := strict(t, 1)
			k, p := r.first()
			c := r.Conns()[0]
			second := r.waits(t.Context(), 1)
			end(r, p)
			second.begun() // on another connection
			other := wiretest.Within(t, "the other connection", r.dialed)
			other.Want("HEADERS 1" + asked + " END")
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
			p.wantEOF() // at once: no time has passed
			second.leave()
		})
	}
}

// When the connection ends, waiting requests use another.
func TestQueueOfTheEnded(t *testing.T) {
	for name, end := range map[string]func(r *rig, p *peer){
		"half closed": func(_ *rig, p *peer) { p.HalfClose() },
		"closed":      func(_ *rig, p *peer) { _ = p.Conn.Close() },
		"broken":      func(_ *rig, p *peer) { _ = p.Framer.WriteRawFrame(xhttp2.FramePing, 0, 0, nil) },
		"aborted":     func(r *rig, _ *peer) { r.Conns()[0].Abort() },
	} {
		t.Run(name, func(t *testing.T) {
			r := strict(t, 1)
			k, p := r.first()
			second := r.waits(t.Context(), 1)
			end(r, p)
			second.begun()
			wiretest.Within(t, "the other connection", r.dialed).Want("HEADERS 1" + asked + " END")
			if err := wiretest.Within(t, "Await", k.awaits(nil)); err == nil {
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

// The request with the last identifier is the last on its connection. The next one uses another
// connection.
func TestLastStream(t *testing.T) {
	r := strict(t, 10)
	k, p := r.first()
	c := k.Conn()
	c.Lock()
	next := reflect.ValueOf(c.WireLocked()).Elem().FieldByName("core").FieldByName("streams").FieldByName("next")
	*(*uint32)(next.Addr().UnsafePointer()) = 1<<31 - 1
	c.Unlock()
	last := r.begin()
	p.Want("HEADERS 2147483647"+asked+" END", "GOAWAY 0 NO_ERROR")
	if last.Conn() != c || c.Usable() {
		t.Error("the connection takes more requests")
	}
	other, _ := r.first()
	if other.Conn() == c {
		t.Error("the same connection")
	}
	other.leave()
	p.ok(1, true)
	p.ok(1<<31-1, true)
	if k.status() != 200 || last.status() != 200 {
		t.Errorf("got %d, %d", k.Status, last.Status)
	}
	k.leave()
	last.leave()
	wiretest.Eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 1 })
}
