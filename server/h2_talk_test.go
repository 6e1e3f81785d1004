package server_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Talk is a conversation with a server of HTTP/2, in frames that are written by hand.
type h2Talk struct {
	*h2talk.Talk
	t testing.TB
}

// h2With makes nc a conversation in which nothing was said.
func h2With(t testing.TB, nc net.Conn) *h2Talk {
	k := &h2Talk{h2talk.New(t, nc), t}
	k.Timeout, k.Text = 30*time.Second, describeFrame
	return k
}

// h2On begins a conversation on nc: both prefaces were sent, and ours was acknowledged. settings are the client's.
func h2On(t testing.TB, nc net.Conn, settings ...http2.Setting) *h2Talk {
	t.Helper()
	t.Cleanup(func() { nc.Close() })
	k := h2With(t, nc)
	k.HelloServer(settings...)
	return k
}

// h2 begins a conversation over TCP, without TLS.
func (f *fixture) h2(t testing.TB, settings ...http2.Setting) *h2Talk {
	t.Helper()
	nc, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	return h2On(t, nc, settings...)
}

// headers sends a header section, given as lines "name: value".
func (k *h2Talk) headers(id uint32, end bool, lines ...string) {
	k.t.Helper()
	k.Headers(id, end, fieldsOf(lines)...)
}

// block encodes lines.
func (k *h2Talk) block(lines ...string) []byte { return k.Block(fieldsOf(lines)...) }

// fieldsOf returns the names and values of lines "name: value".
func fieldsOf(lines []string) (fields []string) {
	for _, l := range lines {
		name, value, _ := strings.Cut(l[1:], ":")
		fields = append(fields, l[:1]+name, strings.TrimPrefix(value, " "))
	}
	return fields
}

// request is the head of a request.
func request(method, path string, more ...string) []string {
	return append([]string{":method: " + method, ":scheme: http", ":authority: example.com", ":path: " + path}, more...)
}

// get sends a request without a body.
func (k *h2Talk) get(id uint32, path string, more ...string) {
	k.t.Helper()
	k.headers(id, true, request("GET", path, more...)...)
}

// post sends the head of a request with a body.
func (k *h2Talk) post(id uint32, path string, more ...string) {
	k.t.Helper()
	k.headers(id, false, request("POST", path, more...)...)
}

// data sends DATA.
func (k *h2Talk) data(id uint32, p string, end bool) {
	k.t.Helper()
	if err := k.Framer.WriteData(id, end, []byte(p)); err != nil {
		k.t.Fatal(err)
	}
}

// describeFrame returns a frame as text, without the date; "" for a WINDOW_UPDATE, because flow control has tests of its own.
func describeFrame(f http2.Frame) string {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		undated := *f
		undated.Fields = slices.DeleteFunc(slices.Clone(f.Fields), func(l hpack.HeaderField) bool { return l.Name == "date" })
		return h2talk.Describe(&undated)
	case *http2.WindowUpdateFrame:
		return ""
	}
	return h2talk.Describe(f)
}

// wantEOF expects the connection to end in good order, and closes our end, too: the server waits for that.
func (k *h2Talk) wantEOF() {
	k.t.Helper()
	defer k.Conn.Close()
	k.WantEOF()
}

// h2Way is a way to serve HTTP/2.
type h2Way struct {
	name string
	dial func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn)
}

// h2Ways are all of them: the latched loop, the plain one, pipes that split anywhere, and TLS on both loops.
var h2Ways = []h2Way{
	{"latched", dialTCP},
	{"plain", func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) { return dialTCP(t, plainly(cfg)) }},
	{"pipe", func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) {
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		return startOn(t, l, cfg), func() net.Conn {
			nc, err := l.DialConfig(wiretest.Config{Split: wiretest.Random(7)}, wiretest.Config{})
			if err != nil {
				t.Fatal(err)
			}
			return nc
		}
	}},
	{"tls", dialH2TLS},
	{"tls plain", func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) { return dialH2TLS(t, plainly(cfg)) }},
}

// plainly makes cfg use the plain loop.
func plainly(cfg server.Config) server.Config {
	if cfg.OnState == nil {
		cfg.OnState = func(net.Conn, http.ConnState) {}
	}
	return cfg
}

func dialTCP(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) {
	f := start(t, cfg)
	return f, func() net.Conn {
		nc, err := net.Dial("tcp", f.addr)
		if err != nil {
			t.Fatal(err)
		}
		return nc
	}
}

func dialH2TLS(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) {
	cert, pool := devCert(t)
	cfg.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	f := startTLS(t, cfg, "", "")
	return f, func() net.Conn {
		nc, err := tls.Dial("tcp", f.addr, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2"}})
		if err != nil {
			t.Fatal(err)
		}
		return nc
	}
}

// onH2Ways runs test on every way to serve HTTP/2, each with a conversation that has begun.
func onH2Ways(t *testing.T, cfg server.Config, test func(t *testing.T, f *fixture, k *h2Talk)) {
	for _, w := range h2Ways {
		t.Run(w.name, func(t *testing.T) {
			f, dial := w.dial(t, cfg)
			test(t, f, h2On(t, dial()))
		})
	}
}
