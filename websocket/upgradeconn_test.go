package websocket

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// The example of RFC 6455 §1.3.
const (
	sampleKey  = "dGhlIHNhbXBsZSBub25jZQ=="
	upgradeGet = "GET /chat?room=1 HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Key: " + sampleKey + "\r\nSec-WebSocket-Version: 13\r\n"
	upgraded = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
)

// result is what UpgradeConn returned.
type result struct {
	c   *Conn
	err error
}

// upgrade runs UpgradeConn with a client that sends bytes, which split divides for the server.
func upgrade(t *testing.T, split wiretest.Split, cfg Config, check func(*http.Request) error) (*wiretest.Talk, <-chan result) {
	t.Helper()
	server, client := wiretest.Pipe(wiretest.Config{Split: split}, wiretest.Config{})
	return wiretest.NewTalk(t, client), upgradeOn(t, soon(t), server, cfg, check)
}

func upgradeOn(t *testing.T, ctx context.Context, server net.Conn, cfg Config, check func(*http.Request) error) <-chan result {
	results := make(chan result, 1)
	go func() {
		c, err := UpgradeConn(ctx, server, cfg, check)
		if c != nil {
			t.Cleanup(func() {
				c.CloseNow()
				within(t, "the connection to end", c.Done())
			})
		}
		results <- result{c, err}
	}()
	return results
}

// The handshake is read however it is cut, and what came with it is the first message.
func TestUpgradeConn(t *testing.T) {
	request := upgradeGet + "Sec-WebSocket-Protocol: chat, superchat\r\n\r\n"
	ahead := text("Hello")
	for cut := range int64(len(request) + len(ahead)) {
		peer, results := upgrade(t, wiretest.At(cut), Config{Subprotocols: []string{"superchat"}}, nil)
		peer.Send(request + ahead)
		peer.Want(upgraded + "Sec-WebSocket-Protocol: superchat\r\n\r\n")
		r := <-results
		if r.err != nil || r.c.Subprotocol() != "superchat" {
			t.Fatalf("cut at %d: %v", cut, r.err)
		}
		if _, p, err := r.c.ReadMessage(); string(p) != "Hello" || err != nil {
			t.Fatalf("cut at %d: got %q, %v", cut, p, err)
		}
		r.c.WriteMessage(TextMessage, []byte("Hello yourself"))
		peer.Want(bare(0x81, "Hello yourself"))
		peer.Close()
	}
}

// What came with the handshake is the first message of callbacks too.
func TestUpgradeConnCallbacks(t *testing.T) {
	peer, results := upgrade(t, wiretest.EveryByte, Config{
		OnMessage: func(c *Conn, typ MessageType, p []byte) { c.WriteMessage(typ, p) },
	}, nil)
	peer.Send(upgradeGet + "\r\n" + text("Hello"))
	peer.Want(upgraded + "\r\n" + bare(0x81, "Hello"))
	if r := <-results; r.err != nil {
		t.Error(r.err)
	}
}

// check gets the request as a handler of net/http would, and may keep it.
func TestUpgradeConnChecks(t *testing.T) {
	var r *http.Request
	peer, results := upgrade(t, nil, Config{}, func(got *http.Request) error {
		r = got
		return nil
	})
	request := "\r\n" + upgradeGet + "cookie: a=1\r\nCookie: b=2\r\nContent-Length: 0\r\n\r\n"
	peer.Send(request)
	peer.Want(upgraded + "\r\n")
	if got := <-results; got.err != nil {
		t.Fatal(got.err)
	}
	want, err := http.ReadRequest(bufio.NewReader(strings.NewReader(request[2:])))
	if err != nil {
		t.Fatal(err)
	}
	want.Header["Content-Length"] = []string{"0"} // which http.ReadRequest takes out
	for _, f := range []func(r *http.Request) string{
		func(r *http.Request) string {
			return fmt.Sprint(r.Method, r.RequestURI, r.Host, r.Proto, r.ProtoMajor, r.ProtoMinor)
		},
		func(r *http.Request) string { return fmt.Sprint(r.URL.Path, r.URL.RawQuery, r.URL.String()) },
		func(r *http.Request) string { return fmt.Sprint(r.Header) },
	} {
		if f(r) != f(want) {
			t.Errorf("check saw %s, net/http would have seen %s", f(r), f(want))
		}
	}
	if r.RemoteAddr != "far" || r.TLS != nil || r.Body != http.NoBody || r.Context() == context.Background() {
		t.Errorf("remote %q, TLS %v, body %v", r.RemoteAddr, r.TLS, r.Body)
	}
}

// A client that is refused gets an error response, and the connection ends.
func TestUpgradeConnRefuses(t *testing.T) {
	refuse := errors.New("not today")
	for _, tc := range []struct {
		name, sent string
		check      error
		status     int
		fields     string // of the response
		body       string
	}{
		{"another method", strings.Replace(upgradeGet, "GET", "PUT", 1) + "\r\n", nil, 405, "Allow: GET", "GET"},
		{"a HEAD request", strings.Replace(upgradeGet, "GET", "HEAD", 1) + "\r\n", nil, 405, "Allow: GET", ""},
		{"HTTP/1.0", strings.Replace(upgradeGet, "HTTP/1.1", "HTTP/1.0", 1) + "\r\n", nil, 426, "Upgrade: websocket", "1.1"},
		{"no upgrade", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", nil, 426, "Connection: close, Upgrade", "Upgrade"},
		{"another version", strings.Replace(upgradeGet, ": 13", ": 8", 1) + "\r\n", nil, 426, "Sec-WebSocket-Version: 13", "13"},
		{"a bad key", strings.Replace(upgradeGet, "Key: ", "Key: x", 1) + "\r\n", nil, 400, "Connection: close", "Key"},
		{"a body", upgradeGet + "Content-Length: 5\r\n\r\nHello", nil, 400, "", "body"},
		{"a foreign origin", upgradeGet + "Origin: https://evil.example\r\n\r\n", nil, 403, "", "origin"},
		{"no HTTP", "\x16\x03\x01 hello\r\n\r\n", nil, 400, "Connection: close", "RFC 9110"},
		{"HTTP/2", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", nil, 505, "", "version"},
		{"a large head", upgradeGet + "X: " + letters(70_000) + "\r\n\r\n", nil, 431, "", "head"},
		{"a target that is no URL", strings.Replace(upgradeGet, "/chat", "/%zz", 1) + "\r\n", nil, 400, "", ""},
		{"check's own error", upgradeGet + "\r\n", refuse, 403, "", "Forbidden\n"},
		{"check's status", upgradeGet + "\r\n", &HandshakeError{http.StatusUnauthorized, "who are you?"}, 401, "", "who are you?\n"},
		{"check's wrapped status", upgradeGet + "\r\n", fmt.Errorf("%w", &HandshakeError{429, "later"}), 429, "", "later\n"},
		{"check's odd status", upgradeGet + "\r\n", &HandshakeError{200, "fine"}, 403, "", "Forbidden\n"},
		{"the last odd status before errors", upgradeGet + "\r\n", &HandshakeError{399, "fine"}, 403, "", "Forbidden\n"},
		{"check's first status", upgradeGet + "\r\n", &HandshakeError{400, "what?"}, 400, "", "what?\n"},
		{"check's last status", upgradeGet + "\r\n", &HandshakeError{599, "oh"}, 599, "", "oh\n"},
		{"the first odd status behind errors", upgradeGet + "\r\n", &HandshakeError{600, "oh"}, 403, "", "Forbidden\n"},
	} {
		for _, split := range []wiretest.Split{nil, wiretest.Random(7)} {
			t.Run(tc.name, func(t *testing.T) {
				peer, results := upgrade(t, split, Config{}, func(*http.Request) error { return tc.check })
				go io.WriteString(peer.Conn, tc.sent)
				response := peer.Rest()
				peer.Close()
				res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(response)), &http.Request{Method: strings.Fields(tc.sent)[0]})
				if err != nil {
					t.Fatalf("%v: got %q", err, response)
				}
				body, err := io.ReadAll(res.Body)
				if res.StatusCode != tc.status || !res.Close || err != nil || !strings.Contains(string(body), tc.body) {
					t.Errorf("response %q, want %d", response, tc.status)
				}
				if !strings.Contains(response, tc.fields) || !strings.Contains(response, "\r\nSec-WebSocket-Version: 13\r\n") || !strings.Contains(response, "\r\nDate: ") {
					t.Errorf("fields are missing: got %q", response)
				}
				r := <-results
				var he *HandshakeError
				if tc.check != nil && r.err != tc.check || tc.check == nil && (!errors.As(r.err, &he) || he.Status != tc.status) {
					t.Errorf("UpgradeConn: %v", r.err)
				}
			})
		}
	}
}

// UpgradeConn waits no longer than its limits for a client that does not say enough.
func TestUpgradeConnGivesUp(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(peer *wiretest.Talk, cancel context.CancelFunc)
		sent string
		cfg  Config
		err  error
	}{
		{"timeout", nil, upgradeGet, Config{HandshakeTimeout: 20 * time.Millisecond}, context.DeadlineExceeded},
		{"context", func(_ *wiretest.Talk, cancel context.CancelFunc) { cancel() }, upgradeGet, Config{HandshakeTimeout: -1}, context.Canceled},
		{"end", func(peer *wiretest.Talk, _ context.CancelFunc) { peer.Close() }, "", Config{}, io.EOF},
		{"end amid the head", func(peer *wiretest.Talk, _ context.CancelFunc) { peer.Close() }, upgradeGet, Config{}, io.ErrUnexpectedEOF},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, client := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				peer := wiretest.NewTalk(t, client)
				results := upgradeOn(t, ctx, server, tc.cfg, nil)
				peer.Send(tc.sent)
				if tc.end != nil {
					tc.end(peer, cancel)
				}
				if r := <-results; r.c != nil || r.err != tc.err {
					t.Errorf("%v, want %v", r.err, tc.err)
				}
				if _, err := server.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
					t.Errorf("the connection is still open: %v", err)
				}
			})
		})
	}
}

// A check that panics closes the connection.
func TestUpgradeConnPanic(t *testing.T) {
	server, client := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	peer := wiretest.NewTalk(t, client)
	peer.Send(upgradeGet + "\r\n")
	func() {
		defer func() { recover() }()
		UpgradeConn(soon(t), server, Config{}, func(*http.Request) error { panic("no") })
	}()
	peer.WantEOF()
}

// UpgradeConn works over a socket, and earlier deadlines do not outlast it.
func TestUpgradeConnTCP(t *testing.T) {
	server, client := faces[0].pair(t)
	server.SetDeadline(time.Now().Add(patience))
	peer := wiretest.NewTalk(t, client)
	ctx, cancel := context.WithCancel(context.Background())
	results := upgradeOn(t, ctx, server, Config{}, nil)
	peer.Send(upgradeGet + "\r\n")
	peer.Want(upgraded + "\r\n")
	r := <-results
	cancel() // is over, and changes nothing
	if r.err != nil {
		t.Fatal(r.err)
	}
	go func() {
		typ, p, _ := r.c.ReadMessage()
		r.c.WriteMessage(typ, p)
	}()
	peer.Send(text("Hello"))
	peer.Want(bare(0x81, "Hello"))
}

// scripted is a net.Conn whose input is complete from the start, and which keeps its output.
type scripted struct {
	endless
	in  bytes.Reader
	out bytes.Buffer
}

func (s *scripted) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *scripted) Write(p []byte) (int, error) { return s.out.Write(p) }

// Any request gets one whole response, a 101 or a refusal that ends the connection.
func FuzzUpgradeConn(f *testing.F) {
	f.Add([]byte(upgradeGet + "\r\n" + text("Hello")))
	f.Add([]byte(upgradeGet + "Origin: http://server.example.com\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"))
	f.Add([]byte("POST http://a/%41?b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
	f.Add([]byte("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		nc := &scripted{}
		nc.in.Reset(b)
		c, err := UpgradeConn(context.Background(), nc, Config{Compression: ContextTakeover}, func(r *http.Request) error {
			if r.Method != "GET" || r.URL == nil || r.Host == "" && r.Header.Get("Host") != "" {
				t.Errorf("check was given %+v", r)
			}
			return nil
		})
		response := nc.out.String()
		if c != nil {
			c.CloseNow()
			within(t, "the end", c.Done())
		}
		if response == "" && (c != nil || err != io.EOF && err != io.ErrUnexpectedEOF) {
			t.Fatalf("no response, and %v", err)
		}
		if response == "" {
			return
		}
		method, _, _ := strings.Cut(string(bytes.TrimLeft(b, "\r\n")), " ")
		rest := bufio.NewReader(strings.NewReader(response))
		res, rerr := http.ReadResponse(rest, &http.Request{Method: method})
		if rerr != nil {
			t.Fatalf("%v: got %q", rerr, response)
		}
		if res.StatusCode == http.StatusSwitchingProtocols != (err == nil) || err != nil && !res.Close {
			t.Fatalf("error %v and the response %q", err, response)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatalf("%v: got %q", err, response)
		}
	})
}
