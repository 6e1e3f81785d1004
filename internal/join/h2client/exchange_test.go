package h2client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// A request gets its complete response, and so does another one with the same Exchange.
func TestExchange(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k := r.start(context.Background(), true)
	p := wiretest.Within(t, "the connection", r.dialed)
	k.begun()
	p.Want("HEADERS 1" + asked)
	if err := k.SendPart([]byte("body"), false); err != nil {
		t.Error(err)
	}
	if err := k.SendTrailers([]http2.Field{{Name: "x-sum", Value: "4"}}); err != nil {
		t.Error(err)
	}
	p.Want(`DATA 1 "body"`, "HEADERS 1 x-sum=4 END")
	if k.Leave(nil) {
		t.Error("the reader is still there")
	}
	p.Headers(1, false, ":status", "103", "link", "</a>")
	in, more, err := k.Await(nil)
	if err != nil || !more || in.Status != 103 || len(in.Fields) != 1 || in.Fields[0].Value != "</a>" {
		t.Errorf("got %v, %v, %v", in, more, err)
	}
	p.Headers(1, false, ":status", "201", "content-length", "5", "a", "b")
	if k.status() != 201 || k.Bare || k.Length != 5 || len(k.Fields) != 2 {
		t.Errorf("got %+v", k.Fields)
	}
	_ = p.Framer.WriteData(1, false, []byte("hello"))
	p.Headers(1, true, "x-sum", "5")
	p.WantIdle()
	body, err := io.ReadAll(&k.Stream)
	if string(body) != "hello" || err != nil || len(k.Trailer) != 1 || k.Trailer[0].Value != "5" {
		t.Errorf("got %q, %v, %v", body, err, k.Trailer)
	}
	also := false
	if !k.Leave(func(last bool) { also = last }) || !also {
		t.Error("the last Leave does not say so")
	}
	p.WantIdle()

	go func() { k.started <- r.Start(t.Context(), key, &k.Exchange, get{}, false, nil) }()
	k.begun()
	p.Want("HEADERS 3" + asked + " END")
	p.Headers(3, true, ":status", "204")
	if k.status() != 204 || !k.Bare || k.Length != -1 || len(k.Fields)+len(k.Trailer) != 0 {
		t.Errorf("got %d, %v, %d, %v, %v", k.Status, k.Bare, k.Length, k.Fields, k.Trailer)
	}
	if p, ok := k.Whole(); !ok || len(p) > 0 {
		t.Errorf("got %q, %v", p, ok)
	}
	k.leave()
	p.WantIdle()
}

// Await returns for everything that ends the wait for a head.
func TestAwait(t *testing.T) {
	mine := errors.New("mine")
	var e *http2.Error
	var gone *h2client.GoAwayError
	for name, tc := range map[string]struct {
		end func(r *rig, k *call, p *peer, done chan struct{})
		is  func(err error) bool
	}{
		"done":   {func(_ *rig, _ *call, _ *peer, done chan struct{}) { close(done) }, func(err error) bool { return err == h2client.ErrDone }},
		"cancel": {func(_ *rig, k *call, _ *peer, _ chan struct{}) { k.cancel(mine) }, func(err error) bool { return err == mine }},
		"reset": {func(_ *rig, _ *call, p *peer, _ chan struct{}) {
			_ = p.Framer.WriteRSTStream(1, xhttp2.ErrCodeInternal)
		}, func(err error) bool {
			return errors.As(err, &e) && e.Code == http2.ErrCodeInternal && !h2client.Unprocessed(err)
		}},
		"refused": {func(_ *rig, _ *call, p *peer, _ chan struct{}) {
			_ = p.Framer.WriteRSTStream(1, xhttp2.ErrCodeRefusedStream)
		}, h2client.Unprocessed},
		"left out": {func(_ *rig, _ *call, p *peer, _ chan struct{}) { p.goAway(0, xhttp2.ErrCodeNo) }, h2client.Unprocessed},
		"the end":  {func(_ *rig, _ *call, p *peer, _ chan struct{}) { p.HalfClose() }, func(err error) bool { return err == io.ErrUnexpectedEOF }},
		"closed":   {func(_ *rig, _ *call, p *peer, _ chan struct{}) { _ = p.Conn.Close() }, func(err error) bool { return err == io.ErrUnexpectedEOF }},
		"GOAWAY and the end": {func(_ *rig, _ *call, p *peer, _ chan struct{}) {
			p.goAway(1, xhttp2.ErrCodeInternal)
			p.HalfClose()
		}, func(err error) bool {
			return errors.As(err, &gone) && gone.Code == http2.ErrCodeInternal && gone.LastStream == 1 && gone.Debug == "bye"
		}},
		"GOAWAY in good order, and the end": {func(_ *rig, _ *call, p *peer, _ chan struct{}) {
			p.goAway(1, xhttp2.ErrCodeNo)
			p.HalfClose()
		}, func(err error) bool {
			return errors.As(err, &gone) && gone.Code == http2.ErrCodeNo && errors.Is(err, io.ErrUnexpectedEOF)
		}},
		"its time": {func(r *rig, k *call, _ *peer, _ chan struct{}) {
			k.Expire(time.Second)
			go r.clock.Advance(0)
		}, func(err error) bool { return err == netconn.ErrSlow }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, h2client.Config{})
			k, p := r.first()
			done := make(chan struct{})
			waits := k.awaits(done)
			tc.end(r, k, p, done)
			r.until("Await to end", func() bool { return len(waits) > 0 })
			if err := <-waits; !tc.is(err) {
				t.Errorf("got %v", err)
			}
			k.leave()
		})
	}
}

// torn is a connection whose writes fail from some moment on.
type torn struct {
	net.Conn
	off atomic.Bool
}

// Write implements net.Conn.
func (c *torn) Write(p []byte) (int, error) {
	if c.off.Load() {
		return 0, syscall.ECONNRESET
	}
	return c.Conn.Write(p)
}

// The error of the connection is reported also if a writer was the first to find it.
func TestBroken(t *testing.T) {
	r := newRig(t, h2client.Config{})
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	nc := &torn{Conn: near}
	c, err := h2client.New(r.eng, nc, nil, &r.cfg, nil, r.Gone)
	if err != nil {
		t.Fatal(err)
	}
	p := newPeer(t, far)
	p.HelloClient()
	r.Add(key, c)
	k := r.begin()
	p.Want("HEADERS 1" + asked + " END")
	waits := k.awaits(nil)
	nc.off.Store(true)
	if _, err := c.Link().Write([]byte{0}); err == nil {
		t.Error("bytes were taken")
	}
	_ = far.CloseWrite()
	if err := wiretest.Within(t, "Await", waits); !errors.Is(err, syscall.ECONNRESET) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
	k.leave()
	_ = far.Close()
}

// A head that arrives in time removes the deadline: the body may take longer.
func TestExpire(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	k.Expire(time.Second)
	p.ok(1, false)
	if k.status() != 200 {
		t.Error("another status")
	}
	k.Expire(time.Second) // too late to matter
	r.passes(3*time.Second, p)
	_ = p.Framer.WriteData(1, true, []byte("late"))
	if b, err := io.ReadAll(&k.Stream); string(b) != "late" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	k.leave()
}

// 100 Continue, a final head, Cancel, the timeout and done end the wait. The body is wanted unless there is
// a response, or the stream can no longer be written to.
func TestProceed(t *testing.T) {
	for name, tc := range map[string]struct {
		end    func(k *call, p *peer, done chan struct{})
		wanted bool
	}{
		"100":    {func(_ *call, p *peer, _ chan struct{}) { p.Headers(1, false, ":status", "100") }, true},
		"final":  {func(_ *call, p *peer, _ chan struct{}) { p.ok(1, false) }, false},
		"all":    {func(_ *call, p *peer, _ chan struct{}) { p.ok(1, true) }, false},
		"cancel": {func(k *call, _ *peer, _ chan struct{}) { k.cancel(io.EOF) }, false},
		"stop":   {func(k *call, _ *peer, _ chan struct{}) { k.stop(io.EOF) }, false},
		"done":   {func(_ *call, _ *peer, done chan struct{}) { close(done) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, h2client.Config{})
			k := &call{t: t, started: make(chan error, 1)}
			k.Expect()
			go func() { k.started <- r.Start(context.Background(), key, &k.Exchange, get{}, true, nil) }()
			p := wiretest.Within(t, "the connection", r.dialed)
			k.begun()
			p.Want("HEADERS 1" + asked)
			ended, done := make(chan bool, 1), make(chan struct{})
			go func() { ended <- k.Proceed(time.Hour, done) }()
			p.Headers(1, false, ":status", "103")
			p.WantIdle()
			select {
			case <-ended:
				t.Fatal("103 is not 100")
			default:
			}
			tc.end(k, p, done)
			if wanted := wiretest.Within(t, "Proceed", ended); wanted != tc.wanted {
				t.Errorf("wanted: %v", wanted)
			}
			k.Leave(nil)
			k.leave()
		})
	}
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	k.Proceed(time.Hour, nil) // nothing was expected
	k.leave()
	k.Expect()
	go func() { k.started <- r.Start(context.Background(), key, &k.Exchange, get{}, true, nil) }()
	k.begun()
	k.Proceed(time.Millisecond, nil) // the time is over
	_ = p.Framer.WriteRSTStream(3, xhttp2.ErrCodeCancel)
	_ = wiretest.Within(t, "the reset", k.awaits(nil))
	k.Leave(nil)
	k.leave()
	go func() { k.started <- r.Start(context.Background(), key, &k.Exchange, get{}, true, nil) }()
	k.begun()
	k.Proceed(time.Hour, nil) // no check follows for this one
	k.Leave(nil)
	k.leave()
}

// The next request with the same Exchange sees nothing of an unread response.
func TestExchangeAgain(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	p.Headers(1, false, ":status", "103")
	p.Headers(1, false, ":status", "200", "content-length", "3", "a", "b")
	_ = p.Framer.WriteData(1, false, []byte("abc"))
	p.Headers(1, true, "x-sum", "1")
	p.WantIdle()
	k.leave()
	go func() { k.started <- r.Start(context.Background(), key, &k.Exchange, get{}, false, nil) }()
	k.begun()
	p.Want("HEADERS 3" + asked + " END")
	if k.Status != 0 || k.Length != -1 || len(k.Fields)+len(k.Trailer) != 0 {
		t.Errorf("got %d, %d, %v, %v", k.Status, k.Length, k.Fields, k.Trailer)
	}
	waits := k.awaits(nil)
	p.ok(3, true)
	if err := wiretest.Within(t, "the head", waits); err != nil || k.Status != 200 {
		t.Errorf("got %v, %d", err, k.Status)
	}
	k.leave()
}

// WINDOW_UPDATE is sent for the bytes that were taken, whatever was sent before.
func TestReceiveWindow(t *testing.T) {
	r := newRig(t, h2client.Config{Wire: http2.Config{InitialWindow: 1000, MaxWindow: 1000}})
	k := r.start(t.Context(), true)
	p := wiretest.Within(t, "the connection", r.dialed)
	k.begun()
	p.Want("HEADERS 1" + asked)
	if err := k.SendTrailers(nil); err != nil {
		t.Fatal(err)
	}
	k.Leave(nil)
	p.Want("HEADERS 1 END")
	cancelled, left := r.begin(), r.begin()
	p.Want("HEADERS 3"+asked+" END", "HEADERS 5"+asked+" END")
	for _, step := range []func(){
		func() {},
		func() { cancelled.cancel(io.EOF); p.Want("RST_STREAM 3 CANCEL") },
		func() { left.leave(); p.Want("RST_STREAM 5 CANCEL") },
	} {
		step()
		if k.Status == 0 {
			p.ok(1, false)
			_ = k.status()
		}
		_ = p.Framer.WriteData(1, false, make([]byte, 600))
		if b, err := k.Fill(); len(b) != 600 || err != nil {
			t.Fatal(len(b), err)
		}
		k.Take(600)
		_ = k.SetReadDeadline(time.Unix(1, 0))
		if _, err := k.Fill(); err != netconn.ErrSlow {
			t.Errorf("got %v", err)
		}
		_ = k.SetReadDeadline(time.Time{})
		p.Want("WINDOW_UPDATE 1 +600")
	}
	cancelled.leave()
	k.leave()
}

// Sending stops for every reason that ends it, and the response can still be read.
func TestSending(t *testing.T) {
	mine := errors.New("mine")
	r := newRig(t, h2client.Config{})
	r.grants = []xhttp2.Setting{{ID: xhttp2.SettingInitialWindowSize, Val: 3}}
	k := r.start(context.Background(), true)
	p := wiretest.Within(t, "the connection", r.dialed)
	k.begun()
	p.Want("HEADERS 1" + asked)
	sent := make(chan error, 1)
	go func() { sent <- k.SendPart([]byte("abcdef"), true) }()
	p.Want(`DATA 1 "abc"`)
	p.ok(1, false)
	if k.status() != 200 {
		t.Error("another status")
	}
	k.stop(mine)
	if err := wiretest.Within(t, "SendPart", sent); err != mine {
		t.Errorf("got %v", err)
	}
	if err := k.SendTrailers(nil); err != mine {
		t.Errorf("got %v", err)
	}
	_ = p.Framer.WriteData(1, true, []byte("x"))
	if b, err := io.ReadAll(&k.Stream); string(b) != "x" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	k.Leave(nil)
	k.leave()
	p.Want("RST_STREAM 1 CANCEL")
	p.WantIdle()
}

// NoResponse says whether the server may have closed the connection before the request arrived.
func TestUnheard(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(p *peer, other *call)
		want bool
	}{
		"not ended":     {func(*peer, *call) {}, false},
		"ended":         {func(p *peer, _ *call) { p.HalfClose() }, true},
		"GOAWAY":        {func(p *peer, _ *call) { p.goAway(3, xhttp2.ErrCodeInternal); p.HalfClose() }, false},
		"another heard": {func(p *peer, other *call) { p.ok(3, true); other.status(); p.HalfClose() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, h2client.Config{})
			k, p := r.first()
			other := r.begin()
			p.Want("HEADERS 3" + asked + " END")
			tc.end(p, other)
			if name != "not ended" {
				if err := wiretest.Within(t, "Await", k.awaits(nil)); err == nil {
					t.Error("no error")
				}
			}
			if k.NoResponse() != tc.want {
				t.Errorf("got %v", !tc.want)
			}
			k.leave()
			other.leave()
		})
	}
}

// A response that is not read to its end is reset, and the connection goes on.
func TestLeaveBeforeTheEnd(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	p.ok(1, false)
	_ = k.status()
	_ = p.Framer.WriteData(1, false, []byte("part"))
	p.WantIdle()
	k.leave()
	p.Want("RST_STREAM 1 CANCEL")
	second := r.begin()
	p.Want("HEADERS 3" + asked + " END")
	if c := second.Conn(); c.Reused() || !c.Reused() {
		t.Error("Reused is true from the second call on")
	}
	p.Headers(3, true, ":status", "200", "a", "b")
	if second.status() != 200 || !slices.Equal(second.Fields, []http2.Field{{Name: "a", Value: "b"}}) {
		t.Errorf("got %d %v", second.Status, second.Fields)
	}
	second.leave()
}

// waitsFor checks that each call blocks while hold runs the function that it is given, and no longer.
func waitsFor(t *testing.T, hold func(f func()), calls map[string]func()) {
	for name, call := range calls {
		done := make(chan struct{})
		hold(func() {
			go func() { defer close(done); call() }()
			select {
			case <-done:
				t.Errorf("%s does not wait", name)
			case <-time.After(10 * time.Millisecond):
			}
		})
		wiretest.Within(t, name, done)
	}
}

// Methods that any goroutine may call block while another goroutine has the lock of the connection or the
// pool.
func TestLocked(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, _ := r.first()
	c := k.Conn()
	waitsFor(t, func(f func()) { c.Lock(); defer c.Unlock(); f() }, map[string]func(){
		"Most":         func() { c.Most() },
		"GoAway":       func() { c.GoAway() },
		"Failed":       func() { _ = k.Failed(io.EOF) },
		"NoResponse":   func() { k.NoResponse() },
		"Whole":        func() { k.Whole() },
		"Expire":       func() { k.Expire(0) },
		"OnGone":       func() { k.OnGone(func() {}).Stop() },
		"SendPart":     func() { _ = k.SendPart([]byte("x"), false) },
		"SendTrailers": func() { _ = k.SendTrailers(nil) },
	})
	k.leave()
	waitsFor(t, r.Holding, map[string]func(){
		"Has":       func() { r.Has(key) },
		"Oldest":    func() { r.Oldest() },
		"CloseIdle": r.CloseIdle,
		"Gone":      func() { r.Gone(nil) },
		"Close":     r.Close,
	})
}
