package nethttp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// patience is how long a test waits for an expected event. No test depends on how fast it comes.
const patience = time.Minute

// servers are the two that every behaviour test runs against: net/http's, which defines the expected behaviour, and ours.
var servers = []struct {
	name  string
	serve func(std *http.Server, l net.Listener) (stop func())
}{
	{"std", func(std *http.Server, l net.Listener) func() {
		ended := make(chan struct{})
		go func() { std.Serve(l); close(ended) }()
		return func() { std.Close(); <-ended }
	}},
	{"ours", func(std *http.Server, l net.Listener) func() {
		s := nethttp.FromServer(std)
		ended := make(chan struct{})
		go func() { s.Serve(l); close(ended) }()
		return func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if s.Shutdown(ctx) != nil {
				s.Close()
			}
			<-ended
		}
	}},
}

// onBoth runs test against both servers, each serving h on a loopback address.
func onBoth(t *testing.T, h http.Handler, test func(t *testing.T, addr string)) {
	t.Helper()
	withBoth(t, func() *http.Server { return &http.Server{Handler: h} }, test)
}

// withBoth is onBoth for servers that configure makes.
func withBoth(t *testing.T, configure func() *http.Server, test func(t *testing.T, addr string)) {
	t.Helper()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			std := configure()
			if std.ErrorLog == nil {
				std.ErrorLog = log.New(io.Discard, "", 0)
			}
			l := listen(t)
			t.Cleanup(s.serve(std, l)) // after the clients' connections are closed: none is lingered for
			test(t, l.Addr().String())
		})
	}
}

// serveOurs serves with s until the test ends and returns the address.
func serveOurs(t testing.TB, s *nethttp.Server) (addr string) {
	t.Helper()
	l := listen(t)
	ended := make(chan struct{})
	go func() { s.Serve(l); close(ended) }()
	t.Cleanup(func() { s.Close(); <-ended })
	return l.Addr().String()
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// quiet returns an ErrorLog that discards everything.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// client returns an http.Client whose connections end with the test.
func client(t testing.TB) *http.Client {
	tr := &http.Transport{DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

// peer is the client's end of one connection.
type peer struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func dial(t testing.TB, addr string) *peer {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return &peer{t, c, bufio.NewReader(c)}
}

// say sends text. It is no failure if the peer has already closed: what the peer sent before counts.
func (p *peer) say(text string) { io.WriteString(p, text) }

// sayf is say with a format.
func (p *peer) sayf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// answer reads one response to a request with the given method and returns it in a form that can be compared: status,
// fields sorted by name without Date, body, trailers. The end of the connection reads "closed".
func (p *peer) answer(method string) string {
	p.t.Helper()
	res, err := http.ReadResponse(p.in, &http.Request{Method: method})
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return "closed\n"
	}
	if err != nil {
		return "broken: " + strings.ReplaceAll(err.Error(), p.LocalAddr().String(), "us") + "\n"
	}
	body, err := io.ReadAll(res.Body)
	var b strings.Builder
	b.WriteString(res.Proto + " " + res.Status + "\n")
	if res.Close {
		b.WriteString("(closes)\n")
	}
	if res.TransferEncoding != nil {
		fmt.Fprintf(&b, "(%s)\n", strings.Join(res.TransferEncoding, ", "))
	}
	res.Header.Del("Date")
	res.Header.Del("Connection")
	writeFields(&b, res.Header)
	b.WriteString("\n" + string(body) + "\n")
	if len(res.Trailer) > 0 {
		b.WriteString("trailers:\n")
		writeFields(&b, res.Trailer)
	}
	if err != nil {
		b.WriteString("cut off\n")
	}
	return b.String()
}

func writeFields(b *strings.Builder, h http.Header) {
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			b.WriteString(k + ": " + v + "\n")
		}
	}
}

// journal is an ErrorLog that can be read at any time.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) logger() *log.Logger { return log.New(j, "", 0) }

// await waits until text has been logged.
func (j *journal) await(t testing.TB, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(j.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q has not been logged, but\n%s", text, j.String())
		}
	}
}

// Handlers find the local address of a Unix socket in their context, too.
func TestLocalAddrOfUnix(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skip(err)
	}
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Context().Value(http.LocalAddrContextKey))
	})}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	defer func() { s.Close(); <-served }()
	tr := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", l.Addr().String()) }}
	defer tr.CloseIdleConnections()
	if _, got := roundTrip(t, tr, getRequest(t, "http://unix.test")); got != l.Addr().String() {
		t.Errorf("got %q, want %q", got, l.Addr())
	}
}
