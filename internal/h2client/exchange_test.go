package h2client_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/netconn"
	xhttp2 "golang.org/x/net/http2"
)

// TestExchange: a request and its response, with all that belongs to one, and another after it with the same Exchange.
func TestExchange(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k := r.start(context.Background(), true)
	p := within(t, "the connection", r.dialed)
	k.begun()
	p.want("HEADERS 1" + asked)
	if err := k.SendPart([]byte("body"), false); err != nil {
		t.Error(err)
	}
	if err := k.SendTrailers([]http2.Field{{Name: "x-sum", Value: "4"}}); err != nil {
		t.Error(err)
	}
	p.want(`DATA 1 "body"`, "HEADERS 1 x-sum=4 END")
	if k.Leave(nil) {
		t.Error("the reader is still there")
	}
	p.head(1, false, ":status", "103", "link", "</a>")
	in, more, err := k.Await(nil)
	if err != nil || !more || in.Status != 103 || len(in.Fields) != 1 || in.Fields[0].Value != "</a>" {
		t.Errorf("got %v, %v, %v", in, more, err)
	}
	p.head(1, false, ":status", "201", "content-length", "5", "a", "b")
	if k.status() != 201 || k.Bare || k.Length != 5 || len(k.Fields) != 2 {
		t.Errorf("got %+v", k.Fields)
	}
	_ = p.fr.WriteData(1, false, []byte("hello"))
	p.head(1, true, "x-sum", "5")
	p.idle()
	body, err := io.ReadAll(&k.Stream)
	if string(body) != "hello" || err != nil || len(k.Trailer) != 1 || k.Trailer[0].Value != "5" {
		t.Errorf("got %q, %v, %v", body, err, k.Trailer)
	}
	also := false
	if !k.Leave(func() { also = true }) || !also {
		t.Error("the last one is not told so")
	}
	p.idle()

	go func() { k.started <- r.Start(t.Context(), key, &k.Exchange, get{}, false) }()
	k.begun()
	p.want("HEADERS 3" + asked + " END")
	p.head(3, true, ":status", "204")
	if k.status() != 204 || !k.Bare || k.Length != -1 || len(k.Fields)+len(k.Trailer) != 0 {
		t.Errorf("got %d, %v, %d, %v, %v", k.Status, k.Bare, k.Length, k.Fields, k.Trailer)
	}
	if p, ok := k.Whole(); !ok || len(p) > 0 {
		t.Errorf("got %q, %v", p, ok)
	}
	k.leave()
	p.idle()
}

// TestAwait: what ends the wait for a head.
func TestAwait(t *testing.T) {
	mine := errors.New("mine")
	var e *http2.Error
	var gone *h2client.GoAwayError
	for name, tc := range map[string]struct {
		end func(r *rig, k *call, p *peer, done chan struct{})
		is  func(err error) bool
	}{
		"done":   {func(_ *rig, _ *call, _ *peer, done chan struct{}) { close(done) }, func(err error) bool { return err == h2client.ErrDone }},
		"cancel": {func(_ *rig, k *call, _ *peer, _ chan struct{}) { k.Cancel(http2.Cancel, mine) }, func(err error) bool { return err == mine }},
		"reset": {func(_ *rig, _ *call, p *peer, _ chan struct{}) { _ = p.fr.WriteRSTStream(1, xhttp2.ErrCodeInternal) }, func(err error) bool {
			return errors.As(err, &e) && e.Code == http2.InternalError && !h2client.Untouched(err)
		}},
		"refused": {func(_ *rig, _ *call, p *peer, _ chan struct{}) {
			_ = p.fr.WriteRSTStream(1, xhttp2.ErrCodeRefusedStream)
		}, h2client.Untouched},
		"left out": {func(_ *rig, _ *call, p *peer, _ chan struct{}) { p.goAway(0, xhttp2.ErrCodeNo) }, h2client.Untouched},
		"the end":  {func(_ *rig, _ *call, p *peer, _ chan struct{}) { p.halfClose() }, func(err error) bool { return err == io.ErrUnexpectedEOF }},
		"closed":   {func(_ *rig, _ *call, p *peer, _ chan struct{}) { _ = p.nc.Close() }, func(err error) bool { return err == io.ErrUnexpectedEOF }},
		"GOAWAY and the end": {func(_ *rig, _ *call, p *peer, _ chan struct{}) {
			p.goAway(1, xhttp2.ErrCodeInternal)
			p.halfClose()
		}, func(err error) bool {
			return errors.As(err, &gone) && gone.Code == http2.InternalError && gone.LastStream == 1 && gone.Debug == "bye"
		}},
		"GOAWAY in good order, and the end": {func(_ *rig, _ *call, p *peer, _ chan struct{}) {
			p.goAway(1, xhttp2.ErrCodeNo)
			p.halfClose()
		}, func(err error) bool { return err == io.ErrUnexpectedEOF }},
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

// TestExpire: a head that has come in time ends the wait for good; the body may take its time.
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
	_ = p.fr.WriteData(1, true, []byte("late"))
	if b, err := io.ReadAll(&k.Stream); string(b) != "late" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	k.leave()
}

// TestProceed: 100 Continue, a final answer, a cancellation, the time or who waits no more end the wait of a body.
func TestProceed(t *testing.T) {
	for name, end := range map[string]func(k *call, p *peer, done chan struct{}){
		"100":    func(_ *call, p *peer, _ chan struct{}) { p.head(1, false, ":status", "100") },
		"final":  func(_ *call, p *peer, _ chan struct{}) { p.ok(1, true) },
		"cancel": func(k *call, _ *peer, _ chan struct{}) { k.Cancel(http2.Cancel, io.EOF) },
		"stop":   func(k *call, _ *peer, _ chan struct{}) { k.StopSending(io.EOF) },
		"done":   func(_ *call, _ *peer, done chan struct{}) { close(done) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, h2client.Config{})
			k := &call{t: t, started: make(chan error, 1)}
			k.Expect()
			go func() { k.started <- r.Start(context.Background(), key, &k.Exchange, get{}, true) }()
			p := within(t, "the connection", r.dialed)
			k.begun()
			p.want("HEADERS 1" + asked)
			ended, done := make(chan struct{}), make(chan struct{})
			go func() { k.Proceed(time.Hour, done); close(ended) }()
			p.head(1, false, ":status", "103")
			p.idle()
			select {
			case <-ended:
				t.Fatal("103 is not 100")
			default:
			}
			end(k, p, done)
			within(t, "Proceed", ended)
			k.Leave(nil)
			k.leave()
		})
	}
	r := newRig(t, h2client.Config{})
	k, _ := r.first()
	k.Proceed(time.Hour, nil) // nothing was expected
	k.leave()
}

// TestSending: what ends sending. The response is read all the same.
func TestSending(t *testing.T) {
	mine := errors.New("mine")
	r := newRig(t, h2client.Config{})
	r.grants = []xhttp2.Setting{{ID: xhttp2.SettingInitialWindowSize, Val: 3}}
	k := r.start(context.Background(), true)
	p := within(t, "the connection", r.dialed)
	k.begun()
	p.want("HEADERS 1" + asked)
	sent := make(chan error, 1)
	go func() { sent <- k.SendPart([]byte("abcdef"), true) }()
	p.want(`DATA 1 "abc"`)
	p.ok(1, false)
	if k.status() != 200 {
		t.Error("another status")
	}
	k.StopSending(mine)
	if err := within(t, "SendPart", sent); err != mine {
		t.Errorf("got %v", err)
	}
	if err := k.SendTrailers(nil); err != mine {
		t.Errorf("got %v", err)
	}
	_ = p.fr.WriteData(1, true, []byte("x"))
	if b, err := io.ReadAll(&k.Stream); string(b) != "x" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	k.Leave(nil)
	k.leave()
	p.want("RST_STREAM 1 CANCEL")
	p.idle()
}

// TestUnheard: whether the server may have given the connection up before the request arrived.
func TestUnheard(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(p *peer, other *call)
		want bool
	}{
		"not ended":     {func(*peer, *call) {}, false},
		"ended":         {func(p *peer, _ *call) { p.halfClose() }, true},
		"GOAWAY":        {func(p *peer, _ *call) { p.goAway(3, xhttp2.ErrCodeInternal); p.halfClose() }, false},
		"another heard": {func(p *peer, other *call) { p.ok(3, true); other.status(); p.halfClose() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, h2client.Config{})
			k, p := r.first()
			other := r.begin()
			p.want("HEADERS 3" + asked + " END")
			tc.end(p, other)
			if name != "not ended" {
				if err := within(t, "Await", k.awaits(nil)); err == nil {
					t.Error("no error")
				}
			}
			if k.Unheard() != tc.want {
				t.Errorf("got %v", !tc.want)
			}
			k.leave()
			other.leave()
		})
	}
}

// TestLeaveBeforeTheEnd: a response that nobody wants is reset, and the connection goes on.
func TestLeaveBeforeTheEnd(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	p.ok(1, false)
	_ = k.status()
	_ = p.fr.WriteData(1, false, []byte("part"))
	p.idle()
	k.leave()
	p.want("RST_STREAM 1 CANCEL")
	second := r.begin()
	p.want("HEADERS 3" + asked + " END")
	if c := second.Conn(); c.Reused() || !c.Reused() {
		t.Error("a connection is used again from the second on who asks")
	}
	p.head(3, true, ":status", "200", "a", "b")
	if second.status() != 200 || !slices.Equal(second.Fields, []http2.Field{{Name: "a", Value: "b"}}) {
		t.Errorf("got %d %v", second.Status, second.Fields)
	}
	second.leave()
}
