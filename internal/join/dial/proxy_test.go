package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// fields returns a Header of names and values.
func fields(lines ...string) *shockwave.Header {
	h := new(shockwave.Header)
	for i := 0; i < len(lines); i += 2 {
		h.Add(lines[i], lines[i+1])
	}
	return h
}

// Header's fields come last in CONNECT, and its Proxy-Authorization replaces Login.
func TestConnectFields(t *testing.T) {
	host := strings.TrimSuffix(asked, "\r\n")
	for want, header := range map[string]*shockwave.Header{
		"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n":                            nil,
		"Proxy-Authorization: Basic bWU6c2VjcmV0\r\nX-A: 1\r\nx-a: 2\r\nE: \r\n": fields("X-A", "1", "x-a", "2", "E", ""),
		"User-Agent: me\r\nproxy-authorization: Bearer x\r\n":                    fields("User-Agent", "me", "proxy-authorization", "Bearer x"),
	} {
		target := viaProxy()
		target.Proxy.Login = &Login{"me", "secret"}
		target.Proxy.Header = header
		h := through(t, target, nil)
		done := begin(t.Context(), target)
		h.Want(host + want + "\r\n")
		h.Send("HTTP/1.1 200 OK\r\n\r\n")
		connected(t, done)
	}
}

// Fields that would split the request, and a second Host or content, are refused.
func TestConnectFieldsUnsendable(t *testing.T) {
	for _, header := range []*shockwave.Header{
		fields("A", "b\r\nC: d"), fields("A", "b\n"), fields("A", "b\x00"), fields("A b", "c"), fields("", "c"), fields("A:", "c"),
		fields("X", "y", "host", "other.example"), fields("Content-Length", "0"), fields("transfer-encoding", "chunked"),
	} {
		target := viaProxy()
		target.Proxy.Header = header
		h := through(t, target, nil)
		if nc, _, err := target.Dial(t.Context()); nc != nil || err != errConnect {
			name, value := header.At(header.Len() - 1)
			t.Errorf("%q: %q: got %v, %v", name, value, nc, err)
		}
		h.WantEOF()
	}
}

// OnResponse gets the proxy's response, a refusal as well, and can refuse it.
func TestConnectSeen(t *testing.T) {
	errUnwanted := errors.New("unwanted")
	for _, tc := range []struct {
		response string
		status   int
		err      error // that is given, and comes back
	}{
		{"HTTP/1.1 103 \r\nX-Who: other\r\n\r\nHTTP/1.1 200 OK\r\nX-Who: proxy\r\n\r\n", 200, nil},
		{"HTTP/1.1 200 OK\r\nX-Who: proxy\r\n\r\n", 200, errUnwanted},
		{"HTTP/1.1 407 No\r\nX-Who: proxy\r\n\r\n", 407, nil},
		{"HTTP/1.1 407 No\r\nX-Who: proxy\r\n\r\n", 407, errUnwanted},
	} {
		target := viaProxy()
		seen := 0
		target.Proxy.OnResponse = func(status int, header *shockwave.Header) error {
			if seen++; status != tc.status || header.GetString("x-who") != "proxy" {
				t.Errorf("saw %d, from %q", status, header.Get("x-who"))
			}
			return tc.err
		}
		h := through(t, target, nil)
		done := begin(t.Context(), target)
		h.Want(asked)
		h.Send(tc.response)
		r := wait(t, done)
		var refused *ProxyError
		good := r.err == nil
		if tc.err != nil {
			good = r.nc == nil && r.err == tc.err
		} else if tc.status != 200 {
			good = r.nc == nil && errors.As(r.err, &refused) && refused.Status == tc.status
		}
		if !good || seen != 1 {
			t.Errorf("%q: got %v, %v; seen %d times", tc.response, r.nc, r.err, seen)
		}
		if r.nc == nil {
			h.WantGone()
		}
	}
}

// OnResponse does not get a malformed response.
func TestConnectUnseen(t *testing.T) {
	target := viaProxy()
	target.Proxy.OnResponse = func(int, *shockwave.Header) error { t.Error("OnResponse was called"); return nil }
	h := through(t, target, nil)
	done := begin(t.Context(), target)
	h.Want(asked)
	h.Send("SSH-2.0-OpenSSH\r\n\r\n")
	if r := wait(t, done); r.err == nil {
		t.Errorf("got %v", r.nc)
	}
}

// DialProxy connects to the proxy, sends nothing, and ignores TLS.
func TestDialProxy(t *testing.T) {
	target := viaProxy()
	target.TLS = &tls.Config{}
	target.Proxy.Header = fields("A", "b")
	h := through(t, target, nil)
	nc, err := target.DialProxy(t.Context())
	if nc != h.near || err != nil || h.addr != "proxy:3128" {
		t.Fatalf("got %v by %s, %v", nc, h.addr, err)
	}
	io.WriteString(nc, "GET http://example.com/ HTTP/1.1\r\n")
	h.Want("GET http://example.com/ HTTP/1.1\r\n")
}

// TLS with the proxy uses Secure, and offers http/1.1.
func TestDialProxySecure(t *testing.T) {
	server, cfg := secureServer(t)
	cfg.ServerName, cfg.NextProtos = "other.example", []string{"h2"}
	target := &Target{Host: "example.org", Port: "80", Proxy: &Proxy{Scheme: HTTPS, Host: server.Host, Port: server.Port, TLS: cfg}}
	put := 0
	target.Secure = func(nc net.Conn, cfg *tls.Config) *tls.Conn {
		put++
		return tls.Client(nc, cfg)
	}
	nc, err := target.DialProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer Cut(nc)
	k := wiretest.NewTalk(t, nc)
	k.Send(get)
	k.WantUntil("\r\n\r\nhello  http/1.1")
	if put != 1 {
		t.Errorf("put on %d times", put)
	}
}

// DialProxy fails without a proxy that forwards, and when the connection or TLS fails.
func TestDialProxyFails(t *testing.T) {
	for _, target := range []*Target{{Host: "a", Port: "1"}, viaSocks()} {
		target.Net = func(context.Context, string, string) (net.Conn, error) {
			t.Error("an address was dialled")
			return nil, io.EOF
		}
		if nc, err := target.DialProxy(t.Context()); nc != nil || err != errForward {
			t.Errorf("got %v, %v", nc, err)
		}
	}
	target := viaProxy()
	target.Net = func(context.Context, string, string) (net.Conn, error) { return nil, io.EOF }
	if nc, err := target.DialProxy(t.Context()); nc != nil || err != io.EOF {
		t.Errorf("got %v, %v", nc, err)
	}
	target.Proxy.Scheme = HTTPS
	h := through(t, target, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := target.DialProxy(ctx)
		failed <- err
	}()
	h.WantN(1)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	h.WantGone()
}

// Handshake is called for the proxy's TLS and for the host's inside it.
func TestHandshakes(t *testing.T) {
	server, cfg := secureServer(t)
	errUnwanted := errors.New("unwanted")
	for fails := range 3 { // the first, the second, none
		target := &Target{Host: "example.com", Port: "443", TLS: cfg}
		target.Proxy = &Proxy{Scheme: HTTPS, Host: server.Host, Port: server.Port, TLS: cfg}
		var names []string
		target.Handshake = func(ctx context.Context, tc *tls.Conn) error {
			if len(names) == fails {
				return errUnwanted
			}
			err := tc.HandshakeContext(ctx)
			names = append(names, tc.ConnectionState().ServerName)
			return err
		}
		r := wait(t, begin(t.Context(), target))
		want := []string{"", "example.com"}[:min(fails, 2)]
		if (r.err == nil) != (fails == 2) || r.err != nil && r.err != errUnwanted || !slices.Equal(names, want) {
			t.Errorf("got %v, %v after handshakes for %q", r.nc, r.err, names)
		}
	}
}
