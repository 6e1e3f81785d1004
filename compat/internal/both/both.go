// Package both runs a test against net/http's server and against ours, and compares their behaviour.
//
// A test provides a handler. It either makes its own requests to a Site (Run), or sends the same requests to every server and
// compares the responses (Same, Compare). net/http's server comes first, and its responses are the correct ones. Ours follows twice:
// on the serve loop of TCP connections, and on the plain serve loop.
package both

import (
	"net"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// Patience is how long a test waits for an event that must happen. No test depends on how soon it happens.
const Patience = 20 * time.Second

// Run calls test for every server in turn, each serving h, in a subtest named after the server. A handler that has state
// between requests needs RunServer.
func Run(t *testing.T, h http.Handler, test func(t *testing.T, s *Site), options ...Option) {
	t.Helper()
	RunServer(t, With(h), test, options...)
}

// RunServer is Run for servers with settings. It calls configure once for each server. If configure leaves ErrorLog nil, the
// log is available through Site.Logged.
func RunServer(t *testing.T, configure func() *http.Server, test func(t *testing.T, s *Site), options ...Option) {
	t.Helper()
	set := settingsOf(options)
	for _, k := range append(slices.Clip(set.kinds()), set.also...) {
		t.Run(k.name, func(t *testing.T) { test(t, start(t, k, configure(), set)) })
	}
}

// With returns a configure function for a server with the handler h and otherwise default settings.
func With(h http.Handler) func() *http.Server {
	return func() *http.Server { return &http.Server{Handler: h} }
}

// Option changes how a test runs or what it compares.
type Option func(*settings)

type settings struct {
	tls        bool
	http2      bool
	anyFraming bool
	without    []string
	also       []kind
}

// http2Env is an environment variable. If it is set, every Site speaks HTTP/2 with its Client, because most tests of handlers
// also hold for HTTP/2. Tests that are about HTTP/1.1 on the wire call NeedsHTTP1.
const http2Env = "SHOCKWAVE_COMPAT_HTTP2"

// transportEnv is an environment variable. If it is set, every Site's Client uses nethttp.Transport instead of http.Transport.
const transportEnv = "SHOCKWAVE_COMPAT_TRANSPORT"

func overTransport() bool { return os.Getenv(transportEnv) != "" }

// http3Env is an environment variable. If it is set, every Site of ours speaks HTTP/3 with its Client: once with quic-go's client,
// and once with http3.Transport. net/http's, which has no HTTP/3, speaks HTTP/2, and its responses are right.
const http3Env = "SHOCKWAVE_COMPAT_HTTP3"

// OverHTTP2 reports whether every Client speaks HTTP/2 or HTTP/3, because of http2Env or http3Env.
func OverHTTP2() bool { return os.Getenv(http2Env) != "" || overHTTP3() }

func overHTTP3() bool { return os.Getenv(http3Env) != "" }

// NeedsHTTP1 skips the test if every Client speaks HTTP/2 or HTTP/3.
func NeedsHTTP1(t *testing.T, why string) {
	t.Helper()
	if OverHTTP2() {
		t.Skip("this needs HTTP/1: " + why)
	}
}

// NotOverHTTP3 skips the test if Clients speak HTTP/3.
func NotOverHTTP3(t *testing.T, why string) {
	t.Helper()
	if overHTTP3() {
		t.Skip("not over HTTP/3: " + why)
	}
}

func settingsOf(options []Option) (set settings) {
	set.http2 = OverHTTP2()
	for _, o := range options {
		o(&set)
	}
	return set
}

// TLS makes the servers use TLS.
func TLS(set *settings) { set.tls = true }

// HTTP2 makes the servers and their Client speak HTTP/2: negotiated with TLS, by prior knowledge without. A server still speaks
// HTTP/1.1 to other clients.
func HTTP2(set *settings) { set.http2 = true }

// Native runs the test on our native server, too, after the others. h returns the native handler that corresponds to std's.
func Native(h func(std *http.Server) server.Handler) Option {
	return func(set *settings) {
		set.also = append(set.also, kind{name: "native", ours: true, build: func(std *http.Server, l net.Listener) (starter, net.Listener) {
			return native{server.NewServer(server.Config{Handler: h(std), TLSConfig: std.TLSConfig, MaxHeadBytes: std.MaxHeaderBytes})}, l
		}})
	}
}

// AnyFraming does not compare whether a body has a Content-Length or is chunked. net/http adds a Content-Length to bodies of up
// to 2 KiB. Ours adds it up to 4 KiB, and always to the response to HEAD (docs/nethttp-differences.md, "Responses").
func AnyFraming(set *settings) { set.anyFraming = true }

// Without does not compare these header fields, because they contain the time or a random value.
func Without(names ...string) Option {
	return func(set *settings) { set.without = append(set.without, names...) }
}
