package dial

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/internal/join/httpread"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

const asked = "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"

func viaProxy() *Target {
	return &Target{Host: "example.com", Port: "443", Proxy: &Proxy{Host: "proxy", Port: "3128"}}
}

// Every 2xx response to CONNECT opens the tunnel, wherever its bytes are split.
func TestConnect(t *testing.T) {
	for name, response := range map[string]string{
		"200":                 "HTTP/1.1 200 Connection established\r\n\r\n",
		"HTTP/1.0":            "HTTP/1.0 200 OK\r\n\r\n",
		"any 2xx":             "HTTP/1.1 299 \r\n\r\n",
		"fields of a body":    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		"after interim heads": strings.Repeat("HTTP/1.1 103 \r\nLink: <x>\r\n\r\n", 16) + "HTTP/1.1 200 OK\r\n\r\n",
	} {
		for _, split := range []wiretest.Split{nil, wiretest.EveryByte} {
			t.Run(name, func(t *testing.T) {
				target := viaProxy()
				h := through(t, target, split)
				done := begin(t.Context(), target)
				h.Want(asked)
				h.Send(response)
				nc := connected(t, done)
				if nc != h.near || h.addr != "proxy:3128" {
					t.Errorf("got a %T, by %s; want the connection to the proxy itself", nc, h.addr)
				}
				if _, err := io.WriteString(nc, "hello"); err != nil {
					t.Error(err)
				}
				h.Want("hello")
			})
		}
	}
}

// Bytes of the host that arrive with the proxy's response are returned.
func TestConnectAhead(t *testing.T) {
	target := viaProxy()
	h := through(t, target, nil)
	done := begin(t.Context(), target)
	h.Want(asked)
	h.Send("HTTP/1.1 200 OK\r\n\r\n220 ready")
	r := wait(t, done)
	if r.nc != h.near || string(r.ahead) != "220 ready" || r.err != nil {
		t.Fatalf("got a %T, %q, %v", r.nc, r.ahead, r.err)
	}
	h.Send(" for you")
	h.Close()
	if got, err := io.ReadAll(r.nc); string(got) != " for you" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// The login is sent as Proxy-Authorization, and an IPv6 address in brackets.
func TestConnectLogin(t *testing.T) {
	target := viaProxy()
	target.Host = "2001:db8::1"
	target.Proxy.Login = &Login{"Aladdin", "open sesame"}
	h := through(t, target, nil)
	done := begin(t.Context(), target)
	h.Want("CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n" +
		"Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n")
	h.Send("HTTP/1.1 200 OK\r\n\r\n")
	connected(t, done)
}

// A response to CONNECT that is not 2xx, or malformed, or does not end, is an error, and the connection is closed.
func TestConnectRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		response string
		status   int
		msg      string
		is       error // instead of a *ProxyError
	}{
		"407":         {response: "HTTP/1.1 407 Who are you\r\nContent-Length: 2\r\n\r\nno", status: 407, msg: "it answered 407 Who are you"},
		"302":         {response: "HTTP/1.1 302\r\nContent-Length: 0\r\n\r\n", status: 302, msg: "it answered 302"},
		"101":         {response: "HTTP/1.1 101 Other\r\n\r\n", status: 101, msg: "it answered 101 Other"},
		"no HTTP":     {response: "SSH-2.0-OpenSSH\r\n\r\n", msg: "as HTTP does"},
		"a bad field": {response: "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", msg: "as HTTP does"},
		"cut off":     {response: "HTTP/1.1 200 OK\r\n", is: io.ErrUnexpectedEOF},
		"silent":      {is: io.ErrUnexpectedEOF},
		"babbling":    {response: strings.Repeat("HTTP/1.1 100 \r\n\r\n", 17), is: httpread.ErrInterim},
		"endless":     {response: "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 70<<10), msg: "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			target := viaProxy()
			h := through(t, target, nil)
			done := begin(t.Context(), target)
			h.Want(asked)
			sent := make(chan error)
			go func() { // the endless one is not read to its end
				_, _ = io.WriteString(h.Conn, tc.response)
				sent <- h.Conn.(*wiretest.Conn).CloseWrite()
			}()
			r := wait(t, done)
			<-sent
			var refused *ProxyError
			errors.As(r.err, &refused)
			switch {
			case r.nc != nil || tc.is != nil && !errors.Is(r.err, tc.is):
				t.Errorf("got %v, %v", r.nc, r.err)
			case tc.is == nil && (refused == nil || refused.Status != tc.status || !strings.Contains(refused.Msg, tc.msg)):
				t.Errorf("got %#v", r.err)
			}
			h.WantGone()
		})
	}
}

// A host or login that would split the request is not sent to the proxy.
func TestConnectUnsendable(t *testing.T) {
	target := viaProxy()
	target.Host = "a\r\nb"
	h := through(t, target, nil)
	if nc, _, err := target.Dial(context.Background()); nc != nil || !errors.Is(err, errConnect) {
		t.Errorf("got %v, %v", nc, err)
	}
	h.WantEOF()
}

// mute is a connection that takes nothing more.
type mute struct{ net.Conn }

// Write implements net.Conn.
func (mute) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A proxy that does not read the request is not waited for.
func TestConnectNotTaken(t *testing.T) {
	target := viaProxy()
	h := through(t, target, nil)
	target.Net = func(context.Context, string, string) (net.Conn, error) { return mute{h.near}, nil }
	if r := wait(t, begin(t.Context(), target)); r.nc != nil || r.err != syscall.EPIPE {
		t.Errorf("got %v, %v", r.nc, r.err)
	}
	h.WantEOF()
}
