package http2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/nethttp"
)

// framed is an end of a connection that the test writes frame by frame.
type framed struct{ *h2talk.Talk }

func newFramed(t *testing.T, nc net.Conn) *framed {
	nc.SetDeadline(time.Now().Add(both.Patience))
	return &framed{h2talk.New(t, nc)}
}

// head sends a header section on stream 1.
func (f *framed) head(fields ...string) { f.Headers(1, false, fields...) }

// awaits reads until a frame of this type has come.
func (f *framed) awaits(kind http2.FrameType) {
	for {
		got, err := f.Framer.ReadFrame()
		if err != nil || got.Header().Type == kind {
			return
		}
	}
}

// synced reads until the peer has read all that was sent before.
func (f *framed) synced() {
	f.Framer.WritePing(false, [8]byte{1})
	for {
		got, err := f.Framer.ReadFrame()
		if p, ok := got.(*http2.PingFrame); err != nil || ok && p.IsAck() {
			return
		}
	}
}

// reset closes the connection with a reset.
func (f *framed) reset() {
	f.Conn.(*net.TCPConn).SetLinger(0)
	f.Conn.Close()
}

var addresses = regexp.MustCompile(`(\d+\.\d+\.\d+\.\d+:\d+)|(read|write) tcp .*: (connection reset by peer|broken pipe)`)

// words is what programs look for in the text of an error: what stands behind the code is each implementation's own.
func words(err error) string {
	if err == nil {
		return "no error"
	}
	text := strings.TrimPrefix(addresses.ReplaceAllString(err.Error(), "$3"), `Post "http://": `)
	if before, code, ok := strings.Cut(text, "_ERROR; "); ok && code != "received from peer" {
		text = before + "_ERROR"
	}
	return strings.TrimSuffix(text, `, debug="calm"`)
}

// about is words, and what errors.As and errors.Is find.
func about(err error) string {
	var e http2.StreamError
	said := words(err)
	if strings.Contains(said, "stream error") && !strings.Contains(said, "cannot retry") {
		said += fmt.Sprintf("; a stream error: %v, stream %d, %v", errors.As(err, &e), e.StreamID, e.Code)
	}
	var timeout net.Error
	return said + fmt.Sprintf("; a timeout: %v", errors.As(err, &timeout) && timeout.Timeout())
}

// Errors of requests have the texts of net/http's Transport, which programs parse.
func TestErrorsOfRequests(t *testing.T) {
	t.Parallel()
	respond := func(f *framed) { f.head(":status", "200"); f.synced() }
	debug := []byte("calm")
	for name, tc := range map[string]struct {
		say    func(f *framed)
		stream bool // the request has a body that cannot be sent again
		after  func(ctx context.Context) (context.Context, context.CancelFunc)
	}{
		"reset":                {say: func(f *framed) { f.Framer.WriteRSTStream(1, http2.ErrCodeCancel) }},
		"reset, unknown code":  {say: func(f *framed) { f.Framer.WriteRSTStream(1, 99) }},
		"refused, and a body":  {say: func(f *framed) { f.Framer.WriteRSTStream(1, http2.ErrCodeRefusedStream) }, stream: true},
		"reset in the body":    {say: func(f *framed) { respond(f); f.Framer.WriteRSTStream(1, http2.ErrCodeInternal) }},
		"calm in the body":     {say: func(f *framed) { respond(f); f.Framer.WriteRSTStream(1, http2.ErrCodeEnhanceYourCalm) }},
		"a malformed head":     {say: func(f *framed) { f.head(":status", "200", "Upper", "x") }},
		"no status":            {say: func(f *framed) { f.head("a", "b") }},
		"data before the head": {say: func(f *framed) { f.Framer.WriteData(1, false, []byte("x")) }},
		"a short body": {say: func(f *framed) {
			f.head(":status", "200", "content-length", "5")
			f.Framer.WriteData(1, true, []byte("x"))
		}},
		"a broken rule":          {say: func(f *framed) { f.Framer.WriteData(0, false, []byte("x")) }},
		"a broken rule, body":    {say: func(f *framed) { respond(f); f.Framer.WriteData(0, false, []byte("x")) }},
		"GOAWAY":                 {say: func(f *framed) { f.Framer.WriteGoAway(1, http2.ErrCodeEnhanceYourCalm, debug); f.Conn.Close() }},
		"GOAWAY without error":   {say: func(f *framed) { f.Framer.WriteGoAway(1, http2.ErrCodeNo, nil); f.Conn.Close() }},
		"GOAWAY that leaves out": {say: func(f *framed) { f.Framer.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, debug) }, stream: true},
		"GOAWAY in the body":     {say: func(f *framed) { respond(f); f.Framer.WriteGoAway(1, http2.ErrCodeInternal, debug); f.Conn.Close() }},
		"the end in the body":    {say: func(f *framed) { respond(f); f.Conn.Close() }},
		"a reset in the body":    {say: func(f *framed) { respond(f); f.reset() }},
		"canceled": {say: func(f *framed) {}, after: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(10*time.Millisecond, cancel)
			return ctx, cancel
		}},
		"a deadline": {say: func(f *framed) {}, after: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 10*time.Millisecond)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := "http://" + accept(t, func(f *framed) {
				f.awaits(http2.FrameHeaders)
				tc.say(f)
				io.Copy(io.Discard, f.Conn)
			})
			var versions http.Protocols
			versions.SetUnencryptedHTTP2(true)
			std, ours := &http.Transport{Protocols: &versions}, &nethttp.Transport{Protocols: &versions}
			defer std.CloseIdleConnections()
			defer ours.CloseIdleConnections()
			ask := func(c *http.Client) error {
				ctx := t.Context()
				if tc.after != nil {
					var cancel context.CancelFunc
					ctx, cancel = tc.after(ctx)
					defer cancel()
				}
				var body io.Reader
				if tc.stream {
					body = unsized{strings.NewReader("x")}
				}
				req, err := http.NewRequestWithContext(ctx, "POST", url, body)
				if err != nil {
					t.Fatal(err)
				}
				res, err := c.Do(req)
				if err != nil {
					return err
				}
				defer res.Body.Close()
				_, err = io.ReadAll(res.Body)
				return err
			}
			want := ask(&http.Client{Transport: std})
			if got := ask(&http.Client{Transport: ours}); about(got) != about(want) {
				t.Errorf("Transport: %s\nnet/http:  %s", about(got), about(want))
			}
			if tc.after != nil || tc.stream {
				return // a context's error is package client's own, and so is what it says of a body
			}
			c := client.New(client.Config{Protocols: &versions})
			defer c.Close()
			res, err := c.Do(t.Context(), &client.Request{Method: "POST", URL: url})
			if err == nil {
				_, err = io.ReadAll(res.Body())
				res.Close()
			}
			if about(err) != about(want) {
				t.Errorf("client:   %s\nnet/http: %s", about(err), about(want))
			}
		})
	}
}

// accept has say talk with each connection of HTTP/2 and returns the address.
func accept(t *testing.T, say func(f *framed)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				f := newFramed(t, nc)
				io.ReadFull(nc, make([]byte, len(http2.ClientPreface)))
				f.Framer.WriteSettings()
				say(f)
			}()
		}
	}()
	return l.Addr().String()
}

// A handler whose client has gone gets the errors that it would get from net/http.
func TestErrorsOfHandlers(t *testing.T) {
	t.Parallel()
	read := func(w http.ResponseWriter, r *http.Request) error { _, err := io.ReadAll(r.Body); return err }
	write := func(w http.ResponseWriter, r *http.Request) error {
		for {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				return err
			}
		}
	}
	for name, tc := range map[string]struct {
		end    func(f *framed)
		handle func(w http.ResponseWriter, r *http.Request) error
	}{
		"read, reset":             {func(f *framed) { f.Framer.WriteRSTStream(1, http2.ErrCodeCancel) }, read},
		"read, reset for another": {func(f *framed) { f.Framer.WriteRSTStream(1, http2.ErrCodeInternal) }, read},
		"read, closed":            {func(f *framed) { f.Conn.Close() }, read},
		"read, connection reset":  {func(f *framed) { f.reset() }, read},
		"read, a broken rule":     {func(f *framed) { f.Framer.WriteData(0, false, []byte("x")) }, read},
		"write, reset":            {func(f *framed) { f.Framer.WriteRSTStream(1, http2.ErrCodeCancel) }, write},
		"write, closed":           {func(f *framed) { f.Conn.Close() }, write},
		"write, connection reset": {func(f *framed) { f.reset() }, write},
		"write, a broken rule":    {func(f *framed) { f.Framer.WriteData(0, false, []byte("x")) }, write},
		"write, its window":       {func(f *framed) { f.Framer.WriteWindowUpdate(1, 1<<31-1); f.Framer.WriteWindowUpdate(1, 1<<31-1) }, write},
		"read, too long": {func(f *framed) {}, func(w http.ResponseWriter, r *http.Request) error {
			r.Body = http.MaxBytesReader(w, r.Body, 2)
			return read(w, r)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want string
			begun, said := make(chan bool, 1), make(chan error, 1)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				begun <- true
				said <- tc.handle(w, r)
			})
			both.Run(t, h, func(t *testing.T, s *both.Site) {
				nc, err := net.Dial("tcp", s.Addr)
				if err != nil {
					t.Fatal(err)
				}
				defer nc.Close()
				io.WriteString(nc, http2.ClientPreface)
				f := newFramed(t, nc)
				f.Framer.WriteSettings()
				f.head(":method", "POST", ":scheme", "http", ":authority", "a", ":path", "/")
				f.Framer.WriteData(1, false, []byte("hello"))
				both.Receive(t, begun, "the handler")
				tc.end(f)
				go io.Copy(io.Discard, nc)
				got := about(both.Receive(t, said, "the handler's error"))
				if name == "write, closed" { // net/http says the one or the other, as its reader or its writer notices first
					got = strings.Replace(got, "connection reset by peer", "client disconnected", 1)
				}
				if !s.Ours {
					want = got
				} else if got != want {
					t.Errorf("ours:     %s\nnet/http: %s", got, want)
				}
			}, both.HTTP2)
		})
	}
}
