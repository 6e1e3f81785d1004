package websocket

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// onCallbacks runs f on every face with callbacks.
func onCallbacks(t *testing.T, f func(t *testing.T, f face)) {
	t.Helper()
	onEvery(t, func(t *testing.T, face face) {
		if face.callbacks {
			f(t, face)
		}
	})
}

// After CloseWrite the peer's messages are read up to its close frame.
func TestCloseWrite(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		heard := make(chan string, 4)
		r := f.serve(t, Config{}, func(c *Conn, _ MessageType, p []byte) error {
			heard <- string(p)
			if string(p) != "begin" {
				return nil
			}
			if err := c.WriteMessage(TextMessage, []byte("last")); err != nil {
				return err
			}
			return c.CloseWrite(CloseNormal, "done")
		})
		r.peer.Send(text("begin"))
		r.peer.Want(bare(0x81, "last") + bare(0x88, "\x03\xE8done"))
		r.peer.Send(text("more") + frame(0x89, "?") + binaryF("and more") + closeFrame(CloseNormal, ""))
		r.peer.WantEOF()
		if err := r.wantEnd(); err != ErrClosed {
			t.Errorf("ended with %v, want ErrClosed", err)
		}
		if got := []string{<-heard, <-heard, <-heard}; !slices.Equal(got, []string{"begin", "more", "and more"}) {
			t.Errorf("heard %q", got)
		}
		for what, err := range map[string]error{
			"WriteMessage": r.c.WriteMessage(TextMessage, nil),
			"Send":         r.c.Send(TextMessage, nil),
			"CloseWrite":   r.c.CloseWrite(CloseNormal, ""),
			"Close":        r.c.Close(CloseNormal, ""),
		} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s afterwards: %v", what, err)
			}
		}
	})
}

// A close code that cannot be sent is refused, and the connection goes on.
func TestCloseWriteCode(t *testing.T) {
	r := faces[1].echo(t, Config{})
	var pe *ProtocolError
	if err := r.c.CloseWrite(CloseAbnormal, ""); !errors.As(err, &pe) {
		t.Errorf("CloseWrite(1006) returned %v", err)
	}
	r.peer.Send(text("Hello"))
	r.peer.Want(bare(0x81, "Hello"))
}

// After CloseWrite a peer that goes on sending is cut off after CloseTimeout.
func TestCloseWriteUnanswered(t *testing.T) {
	for _, f := range faces[2:4] {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := new(Group)
				defer g.Shutdown(context.Background())
				r := f.serve(t, Config{Group: g, CloseTimeout: 3 * time.Second}, func(*Conn, MessageType, []byte) error { return nil })
				r.peer.Timeout = patience
				if err := r.c.CloseWrite(CloseNormal, ""); err != nil {
					t.Fatal(err)
				}
				since := time.Now()
				r.peer.Want(bare(0x88, "\x03\xE8"))
				for range 2 {
					time.Sleep(time.Second)
					r.peer.Send(text("still here"))
				}
				r.peer.WantGone()
				if d := time.Since(since); d < 3*time.Second || d > 4*time.Second {
					t.Errorf("it took %v", d)
				}
				if err := r.wantEnd(); !errors.Is(err, ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("ended with %v", err)
				}
			})
		})
	}
}

// askedLater returns a Config that passes the peer's close frame to the test.
func askedLater() (Config, chan *CloseError) {
	ch := make(chan *CloseError, 2)
	return Config{OnPeerClose: func(_ *Conn, e *CloseError) { ch <- e }}, ch
}

// After the peer's close frame messages can be sent until it is answered.
func TestOnPeerClose(t *testing.T) {
	onCallbacks(t, func(t *testing.T, f face) {
		cfg, ch := askedLater()
		r := f.echo(t, cfg)
		r.peer.Send(text("Hello") + closeFrame(4000, "enough") + text("nobody reads this"))
		r.peer.Want(bare(0x81, "Hello"))
		if e := <-ch; e.Code != 4000 || e.Reason != "enough" {
			t.Errorf("told of %v", e)
		}
		r.peer.Send(text("nor this"))
		for _, msg := range []string{"one", "two", letters(1 << 20)} {
			written := make(chan error, 1)
			go func() { written <- r.c.WriteMessage(TextMessage, []byte(msg)) }()
			r.peer.Want(bare(0x81, msg))
			if err := <-written; err != nil {
				t.Error(err)
			}
		}
		if r.c.Err() != nil {
			t.Errorf("over before the answer: %v", r.c.Err())
		}
		if err := r.c.Close(CloseNormal, "bye"); err != nil {
			t.Error(err)
		}
		r.peer.Want(bare(0x88, "\x03\xE8bye"))
		r.peer.WantEOF()
		if err := r.wantEnd(); CloseStatus(err) != 4000 {
			t.Errorf("ended with %v", err)
		}
		if len(ch) > 0 {
			t.Error("OnPeerClose was called twice")
		}
	})
}

// OnPeerClose itself may call Close or CloseWrite.
func TestOnPeerCloseAtOnce(t *testing.T) {
	onCallbacks(t, func(t *testing.T, f face) {
		for _, end := range []func(c *Conn, code CloseCode) error{
			func(c *Conn, code CloseCode) error { return c.Close(code, "") },
			func(c *Conn, code CloseCode) error { return c.CloseWrite(code, "") },
		} {
			r := f.echo(t, Config{OnPeerClose: func(c *Conn, e *CloseError) {
				c.WriteMessage(TextMessage, []byte("last"))
				end(c, e.Code)
			}})
			r.peer.Send(closeFrame(CloseNormal, ""))
			r.peer.Want(bare(0x81, "last"))
			r.wantClose(CloseNormal)
			if err := r.wantEnd(); CloseStatus(err) != CloseNormal {
				t.Errorf("ended with %v", err)
			}
		}
	})
}

// What Send has accepted leaves before the answer to the peer's close frame.
func TestOnPeerCloseBehindTheBacklog(t *testing.T) {
	f := faces[3] // a pipe holds little
	cfg, ch := askedLater()
	cfg.Backlog, cfg.BacklogBytes, cfg.CloseTimeout = -1, -1, -1
	r := f.echo(t, cfg)
	r.peer.Send(closeFrame(CloseNormal, ""))
	<-ch
	var want strings.Builder
	for i := range 16 {
		msg := strings.Repeat(string(rune('A'+i)), 64<<10)
		if err := r.c.Send(TextMessage, []byte(msg)); err != nil {
			t.Fatal(err)
		}
		want.WriteString(bare(0x81, msg))
	}
	if err := r.c.Close(CloseNormal, ""); err != nil {
		t.Error(err)
	}
	r.peer.Want(want.String() + bare(0x88, "\x03\xE8"))
	r.peer.WantEOF()
	if err := r.wantEnd(); CloseStatus(err) != CloseNormal {
		t.Errorf("ended with %v", err)
	}
}

// After CloseTimeout the peer's close frame is answered, and no pings are sent until then.
func TestOnPeerCloseIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Group)
		defer g.Shutdown(context.Background())
		cfg, ch := askedLater()
		cfg.Group, cfg.CloseTimeout, cfg.PingInterval = g, 3*time.Second, 500*time.Millisecond
		r := faces[3].echo(t, cfg)
		r.peer.Timeout = patience
		since := time.Now()
		r.peer.Send(closeFrame(4001, "why"))
		<-ch
		r.wantClose(4001)
		if d := time.Since(since); d < 3*time.Second || d > 4*time.Second {
			t.Errorf("answered after %v", d)
		}
		if err := r.wantEnd(); CloseStatus(err) != 4001 {
			t.Errorf("ended with %v", err)
		}
	})
}

// OnPeerClose is not called for a close frame that answers ours.
func TestOnPeerCloseAnswersOurs(t *testing.T) {
	onCallbacks(t, func(t *testing.T, f face) {
		for what, end := range map[string]func(c *Conn, g *Group){
			"Close":      func(c *Conn, _ *Group) { c.Close(CloseGoingAway, "") },
			"CloseWrite": func(c *Conn, _ *Group) { c.CloseWrite(CloseGoingAway, "") },
			"Shutdown":   func(_ *Conn, g *Group) { go g.Shutdown(context.Background()) },
		} {
			cfg, ch := askedLater()
			cfg.Group = new(Group)
			r := f.echo(t, cfg)
			end(r.c, cfg.Group)
			r.peer.Want(bare(0x88, "\x03\xE9"))
			r.peer.Send(closeFrame(CloseGoingAway, ""))
			r.peer.WantEOF()
			r.wantEnd()
			if len(ch) > 0 {
				t.Errorf("%s: told of the answer", what)
			}
		}
	})
}

// A peer that has closed may leave, be cut off, or see the group shut down.
func TestOnPeerCloseAndTheEnd(t *testing.T) {
	onCallbacks(t, func(t *testing.T, f face) {
		for _, tc := range []struct {
			name string
			end  func(r *rig, g *Group)
			sees string
			want error
		}{
			{"the peer goes", func(r *rig, _ *Group) { r.peer.Close() }, "", &CloseError{Code: CloseNormal}},
			{"CloseNow", func(r *rig, _ *Group) { r.c.CloseNow() }, "", ErrClosed},
			{"Shutdown", func(_ *rig, g *Group) { go g.Shutdown(context.Background()) }, bare(0x88, "\x03\xE9"), &CloseError{Code: CloseNormal}},
		} {
			cfg, ch := askedLater()
			cfg.Group = new(Group)
			r := f.echo(t, cfg)
			r.peer.Send(closeFrame(CloseNormal, ""))
			<-ch
			tc.end(r, cfg.Group)
			if tc.sees != "" {
				r.peer.Want(tc.sees)
				r.peer.WantEOF()
			}
			if err := r.wantEnd(); err != tc.want && CloseStatus(err) != CloseStatus(tc.want) || CloseStatus(err) == 0 && err != tc.want {
				t.Errorf("%s: ended with %v, want %v", tc.name, err, tc.want)
			}
		}
	})
}
