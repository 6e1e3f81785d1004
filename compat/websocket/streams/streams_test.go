// Package streams_test speaks WebSocket over streams of HTTP/2 (RFC 8441).
package streams_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// h2Tunnel opens a stream by extended CONNECT and returns it with the server's response.
func h2Tunnel(t *testing.T, addr string, fields ...string) (*h2Stream, map[string]string) {
	t.Helper()
	s, _, got := h2Dial(t, addr, fields...)
	return s, got
}

// h2Dial is h2Tunnel, and also returns the connection.
func h2Dial(t *testing.T, addr string, fields ...string) (*h2Stream, net.Conn, map[string]string) {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	io.WriteString(nc, http2.ClientPreface)
	s := &h2Stream{f: http2.NewFramer(nc, nc), nc: nc}
	s.f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	s.f.WriteSettings()
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	for i := 0; i < len(fields); i += 2 {
		enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	s.f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
	for {
		switch f := s.next(t).(type) {
		case *http2.MetaHeadersFrame:
			got := map[string]string{}
			for _, field := range f.Fields {
				got[field.Name] = field.Value
			}
			return s, nc, got
		}
	}
}

// h2Stream is stream 1 of a connection as bytes.
type h2Stream struct {
	f    *http2.Framer
	nc   net.Conn
	data []byte
}

// next returns the next frame that is not the connection's own affair.
func (s *h2Stream) next(t *testing.T) http2.Frame {
	t.Helper()
	for {
		f, err := s.f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				s.f.WriteSettingsAck()
			}
		case *http2.WindowUpdateFrame, *http2.PingFrame:
		default:
			return f
		}
	}
}

// want reads DATA until it is want.
func (s *h2Stream) want(t *testing.T, want string) {
	t.Helper()
	for len(s.data) < len(want) {
		f, ok := s.next(t).(*http2.DataFrame)
		if !ok {
			t.Fatalf("no DATA; so far %q, want %q", s.data, want)
		}
		s.data = append(s.data, f.Data()...)
		if f.StreamEnded() && len(s.data) < len(want) {
			t.Fatalf("it ends with %q, want %q", s.data, want)
		}
	}
	if got := string(s.data[:len(want)]); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	s.data = s.data[len(want):]
}

// WebSockets on streams of HTTP/2 (RFC 8441) echo with both kinds of handlers and both packages.
func TestEcho(t *testing.T) {
	echo := func(c *websocket.Conn, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		for {
			kind, p, err := c.ReadMessage()
			if err != nil {
				return
			}
			c.WriteMessage(kind, p)
		}
	}
	cfg := websocket.Config{Subprotocols: []string{"chat"}}
	calls := websocket.Config{Subprotocols: []string{"chat"}, OnMessage: func(c *websocket.Conn, kind websocket.MessageType, p []byte) {
		c.WriteMessage(kind, p)
	}}
	for name, serve := range map[string]func(l net.Listener) error{
		"nethttp": func(l net.Listener) error {
			return nethttp.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !websocket.IsUpgrade(r) || r.Method != "GET" {
					t.Error("the request is not an upgrade by GET")
				}
				w.Header().Set("X-More", "yes")
				echo(websocket.Accept(w, r, cfg))
			}))
		},
		"native": func(l net.Listener) error {
			return server.NewServer(server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				w.Header().Set("X-More", "yes")
				echo(websocket.Upgrade(w, r, cfg))
			})}).Serve(l)
		},
		"callbacks": func(l net.Listener) error {
			return nethttp.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-More", "yes")
				if _, err := websocket.Accept(w, r, calls); err != nil {
					t.Error(err)
				}
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- serve(l) }()
			s, got := h2Tunnel(t, l.Addr().String(), ":method", "CONNECT", ":protocol", "websocket", ":scheme", "http",
				":authority", "h", ":path", "/ws", "sec-websocket-version", "13", "sec-websocket-protocol", "talk, chat",
				"origin", "http://h")
			if got[":status"] != "200" || got["sec-websocket-protocol"] != "chat" || got["x-more"] != "yes" || got["sec-websocket-accept"] != "" {
				t.Errorf("got the response %v", got)
			}
			for _, text := range []string{"Hello", "once more"} {
				s.f.WriteData(1, false, masked(0x81, text))
				s.want(t, "\x81"+string(rune(len(text)))+text)
			}
			s.f.WriteData(1, false, masked(0x88, "\x03\xe8"))
			s.want(t, "\x88\x02\x03\xe8")
			for {
				f, ok := s.next(t).(*http2.DataFrame)
				if !ok {
					t.Fatalf("the stream does not end in good order")
				}
				if f.StreamEnded() {
					break
				}
			}
			l.Close()
			<-ended
		})
	}
}

// masked returns a short frame of a client's.
func masked(first byte, payload string) []byte {
	return append([]byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
}

// A request on a stream that is no proper handshake is refused as on HTTP/1.1.
func TestRefusals(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- nethttp.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, websocket.Config{})
			if err == nil {
				t.Error("the request was accepted, want a refusal")
				c.CloseNow()
			}
		}))
	}()
	base := []string{":scheme", "http", ":authority", "h", ":path", "/"}
	for status, fields := range map[int][]string{
		405: {":method", "POST"},
		426: {":method", "GET"},
		403: {":method", "CONNECT", ":protocol", "websocket", "sec-websocket-version", "13", "origin", "http://other"},
		400: {":method", "CONNECT", ":protocol", "other", "sec-websocket-version", "13"},
	} {
		_, got := h2Tunnel(t, l.Addr().String(), append(fields[:2:2], append(append([]string{}, base...), fields[2:]...)...)...)
		if want := fmt.Sprint(status); got[":status"] != want && !(status == 400 && got[":status"] == "405") {
			t.Errorf("%v: got the response %v, want %s", fields, got, want)
		}
	}
	l.Close()
	<-ended
}

// A stream that ends without a close frame is reported as 1006 to all who wait, and a Group that shuts down sends
// 1001.
func TestEndings(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(s *h2Stream, nc net.Conn, g *websocket.Group)
		code int
	}{
		"a reset":               {func(s *h2Stream, _ net.Conn, _ *websocket.Group) { s.f.WriteRSTStream(1, http2.ErrCodeCancel) }, 1006},
		"the end of the stream": {func(s *h2Stream, _ net.Conn, _ *websocket.Group) { s.f.WriteData(1, true, nil) }, 1006},
		"half a frame": {func(s *h2Stream, _ net.Conn, _ *websocket.Group) {
			s.f.WriteData(1, false, masked(0x81, "Hello")[:5])
			s.f.WriteRSTStream(1, http2.ErrCodeCancel)
		}, 1006},
		"the end of the connection": {func(_ *h2Stream, nc net.Conn, _ *websocket.Group) { nc.Close() }, 1006},
		"a reset of the connection": {func(_ *h2Stream, nc net.Conn, _ *websocket.Group) {
			nc.(*net.TCPConn).SetLinger(0)
			nc.Close()
		}, 1006},
		"a close frame, and a reset": {func(s *h2Stream, _ net.Conn, _ *websocket.Group) {
			s.f.WriteData(1, false, masked(0x88, "\x03\xe9"))
			s.f.WriteRSTStream(1, http2.ErrCodeCancel)
		}, 1001},
		"the group": {func(s *h2Stream, _ net.Conn, g *websocket.Group) {
			go g.Shutdown(context.Background())
			s.want(t, "\x88\x02\x03\xe9")
			s.f.WriteData(1, true, masked(0x88, "\x03\xe9"))
		}, 1001},
	} {
		for _, callbacks := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, callbacks %v", name, callbacks), func(t *testing.T) {
				ended, opened := make(chan error, 1), make(chan bool, 1)
				g := new(websocket.Group)
				cfg := websocket.Config{Group: g}
				if callbacks {
					cfg.OnMessage = func(*websocket.Conn, websocket.MessageType, []byte) {}
					cfg.OnClose = func(_ *websocket.Conn, err error) { ended <- err }
				}
				l := both.Listen(t)
				srv := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					c, err := websocket.Accept(w, r, cfg)
					if err != nil {
						t.Error(err)
						return
					}
					opened <- true
					if !callbacks {
						_, _, err := c.ReadMessage()
						ended <- err
					}
				})}
				served := make(chan error, 1)
				go func() { served <- srv.Serve(l) }()
				defer func() { srv.Close(); <-served }()
				s, _ := h2Tunnel(t, l.Addr().String(), ":method", "CONNECT", ":protocol", "websocket", ":scheme", "http",
					":authority", "h", ":path", "/", "sec-websocket-version", "13")
				both.Receive(t, opened, "the WebSocket")
				tc.end(s, s.nc, g)
				var closed *websocket.CloseError
				if err := both.Receive(t, ended, "the end"); !errors.As(err, &closed) || int(closed.Code) != tc.code {
					t.Errorf("ended with %v, want %d", err, tc.code)
				}
			})
		}
	}
}
