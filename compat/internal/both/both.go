// Package both runs one test against net/http's server and against ours, and compares what they do.
//
// A test names a handler, unchanged, and either asks a Site by itself (Run) or lets every server answer the same
// requests and has the answers compared (Same, Compare). net/http comes first: it says what is right. Ours follows on
// the serve loop that a TCP connection gets, and once more on the plain one.
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

// Patience is how long a test waits for what must come. No test depends on how fast it comes.
const Patience = 20 * time.Second

// Run has test ask every server in turn, each serving h, in subtests named after the server. A handler that remembers
// something between requests needs RunServer.
func Run(t *testing.T, h http.Handler, test func(t *testing.T, s *Site), options ...Option) {
	t.Helper()
	RunServer(t, With(h), test, options...)
}

// RunServer is Run for servers with settings: configure is called once for each of them. An ErrorLog that it leaves
// nil is kept for Site.Logged.
func RunServer(t *testing.T, configure func() *http.Server, test func(t *testing.T, s *Site), options ...Option) {
	t.Helper()
	set := settingsOf(options)
	for _, k := range append(slices.Clip(kinds), set.also...) {
		t.Run(k.name, func(t *testing.T) { test(t, start(t, k, configure(), set)) })
	}
}

// With returns a configure function for a server that has h and nothing else.
func With(h http.Handler) func() *http.Server {
	return func() *http.Server { return &http.Server{Handler: h} }
}

// Option changes how a test is run or what is compared.
type Option func(*settings)

type settings struct {
	tls        bool
	http2      bool
	anyFraming bool
	without    []string
	also       []kind
}

// http2Env has every Site speak HTTP/2 with its Client: tests of handlers hold there too. Those that are about HTTP/1.1
// on the wire say so (NeedsHTTP1).
const http2Env = "SHOCKWAVE_COMPAT_HTTP2"

// transportEnv has every Site's Client go over nethttp.Transport instead of http.Transport.
const transportEnv = "SHOCKWAVE_COMPAT_TRANSPORT"

func overTransport() bool { return os.Getenv(transportEnv) != "" }

// OverHTTP2 reports whether that is so.
func OverHTTP2() bool { return os.Getenv(http2Env) != "" }

// NeedsHTTP1 skips a test where every Client speaks HTTP/2.
func NeedsHTTP1(t *testing.T, why string) {
	t.Helper()
	if OverHTTP2() {
		t.Skip("this needs HTTP/1: " + why)
	}
}

func settingsOf(options []Option) (set settings) {
	set.http2 = OverHTTP2()
	for _, o := range options {
		o(&set)
	}
	return set
}

// TLS has the servers speak TLS.
func TLS(set *settings) { set.tls = true }

// HTTP2 has the servers and their Client speak HTTP/2: with TLS as they agree, without by prior knowledge. A server
// still speaks HTTP/1.1 to others.
func HTTP2(set *settings) { set.http2 = true }

// Native has the test ask, behind the others, our native server: h is std's handler as a native one.
func Native(h func(std *http.Server) server.Handler) Option {
	return func(set *settings) {
		set.also = append(set.also, kind{"native", true, func(std *http.Server, l net.Listener) (starter, net.Listener) {
			return native{server.NewServer(server.Config{Handler: h(std), TLSConfig: std.TLSConfig, MaxHeadBytes: std.MaxHeaderBytes})}, l
		}})
	}
}

// AnyFraming leaves out of the comparison whether a body came with a Content-Length or in chunks. net/http counts
// bodies up to 2 KiB, ours up to 4 KiB, and that of a HEAD answer always (docs/nethttp.md, "Answers").
func AnyFraming(set *settings) { set.anyFraming = true }

// Without leaves header fields out of the comparison: those that tell the time or hold a random value.
func Without(names ...string) Option {
	return func(set *settings) { set.without = append(set.without, names...) }
}
