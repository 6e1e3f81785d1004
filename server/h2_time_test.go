package server_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// passes advances the clock by d in steps, and answers each PING.
func (k *h2Talk) passes(clk *clock.Clock, d, step time.Duration) {
	k.t.Helper()
	for ; d > 0; d -= step {
		clk.Advance(step)
		k.WantIdle()
	}
}

// asTimePasses advances the clock, and calls more after every step, until wanted returns.
func asTimePasses(clk *clock.Clock, step time.Duration, more, wanted func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			default:
				clk.Advance(step)
				more()
			}
		}
	}()
	defer func() {
		close(over)
		<-done
	}()
	wanted()
}

// nothing does nothing.
func nothing() {}

// beats returns a function that makes a request on another connection: when it has its response, the server has processed
// the last step of the clock.
func (f *fixture) beats(t *testing.T) func() {
	k, id := f.h2(t), uint32(1)
	return func() {
		k.headers(id, true, request("HEAD", "/")...)
		if _, err := k.Next(); err != nil {
			t.Error(err)
		}
		id += 2
	}
}

// On the plain loop the clock may advance while a write returns whose bytes the client has long read, so these tests set
// no minimum rate for writing.

// loops select one of the two loops for a server.
var loops = map[string]func(server.Config) server.Config{
	"latched": func(cfg server.Config) server.Config { return cfg }, "plain": plainly,
}

// The idle timeout counts from the last response, and PING does not prolong it.
func TestH2IdleTimeout(t *testing.T) {
	for name, loop := range loops {
		t.Run(name, func(t *testing.T) {
			free := make(chan struct{})
			f, clk := still(t, listen(t), loop(server.Config{MinWriteRate: -1, IdleTimeout: time.Minute, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				if string(r.Path()) == "/slow" {
					<-free
				}
			})}))
			k, unused := f.h2(t), f.h2(t)
			k.passes(clk, 50*time.Second, 10*time.Second)
			k.get(1, "/")
			k.Want("HEADERS 1 200 content-length=0 END")
			unused.WantIdle()
			clk.Advance(9 * time.Second)
			unused.WantIdle()
			unused.endsWithin(clk, 2*time.Second, "GOAWAY 0 NO_ERROR")
			unused.wantEOF()
			k.get(3, "/slow")
			k.passes(clk, 70*time.Second, 10*time.Second)
			close(free)
			k.Want("HEADERS 3 200 content-length=0 END")
			k.passes(clk, 59*time.Second, time.Second)
			// The worker may be counted as done only seconds after the client has the response.
			asTimePasses(clk, time.Second, f.beats(t), func() { k.Want("GOAWAY 3 NO_ERROR") })
			k.wantEOF()
		})
	}
}

// endsWithin advances the clock by d, and expects a frame.
func (k *h2Talk) endsWithin(clk *clock.Clock, d time.Duration, frame string) {
	k.t.Helper()
	clk.Advance(d)
	// A deadline that has already passed takes effect when the clock advances.
	asTimePasses(clk, time.Nanosecond, nothing, func() { k.Want(frame) })
}

// A header block or a frame that never ends is cut off by a timeout.
func TestH2SlowHead(t *testing.T) {
	for name, tc := range map[string]struct {
		begin, more func(k *h2Talk)
		end         string
	}{
		"a block in small pieces": {
			begin: func(k *h2Talk) {
				k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: k.block(request("GET", "/")...), EndStream: true})
			},
			more: func(k *h2Talk) { k.Framer.WriteContinuation(1, false, k.block("x-more: 1")) },
			end:  "GOAWAY 1 ENHANCE_YOUR_CALM",
		},
		"a block's frame": {
			begin: func(k *h2Talk) { k.Conn.Write([]byte("\x00\x10\x00\x01\x04\x00\x00\x00\x01")) },
			more:  func(k *h2Talk) { k.Conn.Write([]byte("\x00")) },
			end:   "GOAWAY 1 ENHANCE_YOUR_CALM",
		},
		"a frame of an unknown type": {
			begin: func(k *h2Talk) { k.Conn.Write([]byte("\x00\x10\x00\x77\x04\x00\x00\x00\x01")) },
			more:  func(k *h2Talk) { k.Conn.Write([]byte("x")) },
			end:   "GOAWAY 0 ENHANCE_YOUR_CALM",
		},
		"a frame's header": {
			begin: func(k *h2Talk) { k.Conn.Write([]byte("\x00")) },
			more:  func(k *h2Talk) {},
			end:   "GOAWAY 0 NO_ERROR",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, clk := still(t, listen(t), server.Config{
				Handler: server.HandlerFunc(h2Answers), MinReadRate: -1, IdleTimeout: time.Hour,
			})
			k := f.h2(t)
			k.WantIdle()
			tc.begin(k)
			beat := f.beats(t)
			for range 1010 {
				clk.Advance(10 * time.Millisecond)
				tc.more(k)
				beat()
			}
			// Slowly now: the GOAWAY has a deadline, too. Nothing more is sent: the timeout may have begun late, and the frame
			// must not be complete too early.
			asTimePasses(clk, time.Millisecond, beat, func() { k.Want(tc.end) })
			k.WantGone()
		})
	}
}

// A request whose body arrives too slowly gets 408, but not if its handler does not wait for the body.
func TestH2SlowBody(t *testing.T) {
	got := make(chan error, 1)
	f, clk := still(t, listen(t), server.Config{MinWriteRate: -1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/duplex" {
			w.EnableFullDuplex()
		}
		_, err := r.Body()
		got <- err
	})})
	k := f.h2(t)
	k.post(1, "/")
	k.data(1, "x", false)
	k.post(3, "/duplex")
	k.data(3, "x", false)
	k.WantIdle()
	asTimePasses(clk, 100*time.Millisecond, nothing, func() {
		k.Want("HEADERS 1 408 content-length=42"+asText, `DATA 1 "the request's body did not arrive in time\n" END`, "RST_STREAM 1 NO_ERROR")
	})
	if err := <-got; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	k.data(3, "x", true)
	k.Want("HEADERS 3 200 content-length=0 END")
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// The deadlines of a stream end its own reads and writes, and no others.
func TestH2Deadlines(t *testing.T) {
	got := make(chan error, 1)
	f := start(t, server.Config{ReadTimeout: time.Hour, WriteTimeout: time.Hour, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/read":
			w.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
			_, err := r.Body()
			got <- err
		case "/read later":
			go func() {
				time.Sleep(30 * time.Millisecond)
				w.SetReadDeadline(time.Unix(1, 0))
			}()
			_, err := r.Body()
			got <- err
		case "/write":
			w.SetWriteDeadline(time.Now().Add(30 * time.Millisecond))
			var err error
			for err == nil {
				_, err = w.WriteString(strings.Repeat("x", 10_000))
			}
			got <- err
		case "/flush":
			w.SetWriteDeadline(time.Now().Add(30 * time.Millisecond))
			var err error
			for err == nil {
				w.WriteString("x")
				err = w.Flush()
			}
			got <- err
		}
	})})
	k := f.h2(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1000})
	for i, path := range []string{"/read", "/write", "/flush"} {
		id := uint32(1 + 2*i)
		k.post(id, path)
		if err := <-got; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", path, err)
		}
		for {
			s, err := k.Next()
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(s, "RST_STREAM") {
				break
			}
		}
	}
	k.WantIdle()
}

// A client that opens no window for its response loses the stream, not the connection.
func TestH2NoWindow(t *testing.T) {
	got := make(chan error, 1)
	cfg := server.Config{MinWriteRate: -1, IdleTimeout: -1} // the clock advances until the client gets its reset
	cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/quick" {
			return
		}
		_, err := io.Copy(w, strings.NewReader(strings.Repeat("x", 100_000)))
		got <- err
	})
	f, clk := still(t, listen(t), cfg)
	k := f.h2(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	k.get(1, "/")
	k.Want("HEADERS 1 200")
	k.passes(clk, 59*time.Second, time.Second)
	asTimePasses(clk, 100*time.Millisecond, nothing, func() { k.Want("RST_STREAM 1 CANCEL") })
	if err := <-got; err == nil {
		t.Error("all was written")
	}
	k.get(3, "/quick")
	k.Want("HEADERS 3 200 content-length=0 END")
}
