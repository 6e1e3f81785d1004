package nethttp_test

import (
	"bufio"
	"compress/gzip"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// optional are the interfaces that programs look for by type assertion.
var optional = map[string]reflect.Type{
	"http.Flusher":         reflect.TypeFor[http.Flusher](),
	"http.Hijacker":        reflect.TypeFor[http.Hijacker](),
	"http.Pusher":          reflect.TypeFor[http.Pusher](),
	"http.CloseNotifier":   reflect.TypeFor[interface{ CloseNotify() <-chan bool }](),
	"http.RoundTripper":    reflect.TypeFor[http.RoundTripper](),
	"FlushError":           reflect.TypeFor[interface{ FlushError() error }](),
	"EnableFullDuplex":     reflect.TypeFor[interface{ EnableFullDuplex() error }](),
	"SetReadDeadline":      reflect.TypeFor[interface{ SetReadDeadline(time.Time) error }](),
	"SetWriteDeadline":     reflect.TypeFor[interface{ SetWriteDeadline(time.Time) error }](),
	"Unwrap":               reflect.TypeFor[interface{ Unwrap() http.ResponseWriter }](),
	"CloseIdleConnections": reflect.TypeFor[interface{ CloseIdleConnections() }](),
	"RegisterProtocol": reflect.TypeFor[interface {
		RegisterProtocol(string, http.RoundTripper)
	}](),
	"CancelRequest":      reflect.TypeFor[interface{ CancelRequest(*http.Request) }](),
	"io.Reader":          reflect.TypeFor[io.Reader](),
	"io.Writer":          reflect.TypeFor[io.Writer](),
	"io.Closer":          reflect.TypeFor[io.Closer](),
	"io.Seeker":          reflect.TypeFor[io.Seeker](),
	"io.ReaderAt":        reflect.TypeFor[io.ReaderAt](),
	"io.ReaderFrom":      reflect.TypeFor[io.ReaderFrom](),
	"io.WriterTo":        reflect.TypeFor[io.WriterTo](),
	"io.StringWriter":    reflect.TypeFor[io.StringWriter](),
	"io.ByteReader":      reflect.TypeFor[io.ByteReader](),
	"io.ByteWriter":      reflect.TypeFor[io.ByteWriter](),
	"io.RuneReader":      reflect.TypeFor[io.RuneReader](),
	"net.Conn":           reflect.TypeFor[net.Conn](),
	"net.Error":          reflect.TypeFor[net.Error](),
	"syscall.Conn":       reflect.TypeFor[syscall.Conn](),
	"NetConn":            reflect.TypeFor[interface{ NetConn() net.Conn }](),
	"CloseRead":          reflect.TypeFor[interface{ CloseRead() error }](),
	"CloseWrite":         reflect.TypeFor[interface{ CloseWrite() error }](),
	"SetNoDelay":         reflect.TypeFor[interface{ SetNoDelay(bool) error }](),
	"SetLinger":          reflect.TypeFor[interface{ SetLinger(int) error }](),
	"SetKeepAlive":       reflect.TypeFor[interface{ SetKeepAlive(bool) error }](),
	"SetKeepAlivePeriod": reflect.TypeFor[interface{ SetKeepAlivePeriod(time.Duration) error }](),
	"SetKeepAliveConfig": reflect.TypeFor[interface {
		SetKeepAliveConfig(net.KeepAliveConfig) error
	}](),
	"SetReadBuffer":   reflect.TypeFor[interface{ SetReadBuffer(int) error }](),
	"SetWriteBuffer":  reflect.TypeFor[interface{ SetWriteBuffer(int) error }](),
	"MultipathTCP":    reflect.TypeFor[interface{ MultipathTCP() (bool, error) }](),
	"File":            reflect.TypeFor[interface{ File() (*os.File, error) }](),
	"ConnectionState": reflect.TypeFor[interface{ ConnectionState() tls.ConnectionState }](),
	"AfterFunc":       reflect.TypeFor[interface{ AfterFunc(func()) func() bool }](),
	"fmt.Stringer":    reflect.TypeFor[fmt.Stringer](),
}

// interfaceDiffers are the differences from net/http, with their reasons: "+" is what only ours has, "-" what only
// net/http's has.
var interfaceDiffers = map[string]string{
	"HTTP/2.0 ResponseWriter -http.Pusher":              "browsers take no pushes any more",
	"HTTP/2.0 ResponseWriter +io.ReaderFrom":            "a copy needs no buffer of io.Copy's; nothing else changes by it",
	"HTTP/1.1 Context +AfterFunc":                       "without it, each context derived from it would need a goroutine",
	"HTTP/1.0 Context +AfterFunc":                       "as over HTTP/1.1",
	"HTTP/2.0 Context +AfterFunc":                       "as over HTTP/1.1",
	"hijacked -io.WriterTo":                             "inside the handler a read of the *net.TCPConn itself would wait for ever: docs/nethttp-differences.md",
	"hijacked below TLS +NetConn":                       "it is the layer that TLS runs on, and leads to the *net.TCPConn",
	"hijacked below TLS -io.ReaderFrom":                 "nothing may be written below TLS",
	"hijacked below TLS -io.WriterTo":                   "nothing may be read below TLS",
	"HTTP/1.1 Response.Body of a 101 +net.Conn":         "the tunnel has deadlines and addresses",
	"HTTP/1.1 Response.Body of a 101 +SetReadDeadline":  "as it is a net.Conn",
	"HTTP/1.1 Response.Body of a 101 +SetWriteDeadline": "as it is a net.Conn",
	"Transport +io.Closer":                              "Close ends all connections",
}

// seen are the values of each subject, by its name.
type seen struct {
	mu     sync.Mutex
	values map[string]any
}

func (s *seen) note(name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = v
}

// ServeHTTP notes what a handler is given.
func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.note(r.Proto+" ResponseWriter", w)
	s.note(r.Proto+" Context", r.Context())
	if r.Method == "POST" {
		s.note(r.Proto+" Request.Body", r.Body)
	}
	switch r.URL.Path {
	case "/gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "text")
		z.Close()
	case "/hijack", "/upgrade":
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		name := map[string]string{"/hijack": "hijacked", "/upgrade": "upgraded"}[r.URL.Path]
		if tc, ok := c.(*tls.Conn); ok {
			s.note(name+" over TLS", c)
			s.note(name+" below TLS", tc.NetConn())
		} else {
			s.note(name, c)
		}
		s.note(name+" ReadWriter", rw)
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
	default:
		io.WriteString(w, strings.Repeat("x", 100_000)) // a response that does not arrive in one piece
	}
}

// clients runs every case against a server, with tr. It notes the values that tr returns.
func (s *seen) clients(t *testing.T, url string, tr http.RoundTripper) {
	t.Helper()
	for path, name := range map[string]string{"/": "Response.Body", "/gzip": "Response.Body of gzip", "/hijack": "Response.Body of a 101"} {
		req, _ := http.NewRequest("POST", url+path, strings.NewReader("body"))
		if path == "/hijack" {
			if strings.HasPrefix(url, "https") && reflect.ValueOf(tr).Elem().FieldByName("ForceAttemptHTTP2").Bool() {
				continue // HTTP/2
			}
			req, _ = http.NewRequest("GET", url+path, nil)
		}
		if path == "/gzip" {
			req, _ = http.NewRequest("GET", url+path, nil)
		}
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s%s: %v", url, path, err)
		}
		s.note(res.Proto+" "+name, res.Body)
		_ = res.Body.Close()
	}
}

// observe runs a server and the clients of one make.
func observe(t *testing.T, ours bool) map[string]any {
	s := &seen{values: map[string]any{}}
	var clear, secure string
	cert, trusting := certificate()
	if ours {
		clear = "http://" + serveOurs(t, &nethttp.Server{Handler: s, ErrorLog: quiet()})
		l := listen(t)
		srv := &nethttp.Server{Handler: s, ErrorLog: quiet(), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}
		ended := make(chan struct{})
		go func() { srv.ServeTLS(l, "", ""); close(ended) }()
		t.Cleanup(func() { srv.Close(); <-ended })
		secure = "https://" + l.Addr().String()
	} else {
		std := httptest.NewServer(s)
		t.Cleanup(std.Close)
		clear = std.URL
		h2 := httptest.NewUnstartedServer(s)
		h2.EnableHTTP2 = true
		h2.StartTLS()
		t.Cleanup(h2.Close)
		secure = h2.URL
	}
	trusting.InsecureSkipVerify = true
	for _, url := range []string{clear, secure} {
		for _, force := range []bool{false, true} {
			if ours {
				tr := &nethttp.Transport{TLSClientConfig: trusting.Clone(), ForceAttemptHTTP2: force}
				if !force {
					tr.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
				}
				s.note("Transport", tr)
				s.clients(t, url, tr)
				_ = tr.Close()
			} else {
				tr := &http.Transport{TLSClientConfig: trusting.Clone(), ForceAttemptHTTP2: force}
				s.note("Transport", tr)
				s.clients(t, url, tr)
				tr.CloseIdleConnections()
			}
		}
	}
	for _, text := range []string{"POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx", "GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(clear, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text)
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		_ = c.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values
}

// The values that nethttp hands out implement the same optional interfaces as net/http's, because other code behaves
// differently when it finds one. Each difference has a reason in the table, and each reason stands for a difference that
// exists.
func TestOptionalInterfaces(t *testing.T) {
	theirs, ours := observe(t, false), observe(t, true)
	found := map[string]bool{}
	for name, v := range theirs {
		if ours[name] == nil {
			t.Errorf("%s: not seen on ours", name)
			continue
		}
		a, b := reflect.TypeOf(v), reflect.TypeOf(ours[name])
		for what, it := range optional {
			sign := ""
			switch has := b.Implements(it); {
			case has && !a.Implements(it):
				sign = "+"
			case !has && a.Implements(it):
				sign = "-"
			default:
				continue
			}
			key := name + " " + sign + what
			found[key] = true
			if interfaceDiffers[key] == "" {
				t.Errorf("%s: %v and %v differ, and no reason is listed", key, a, b)
			}
		}
	}
	for name := range ours {
		if theirs[name] == nil {
			t.Errorf("%s: not seen on net/http's", name)
		}
	}
	latched := runtime.GOOS == "linux" && os.Getenv("SHOCKWAVE_LOOP") != "plain"
	for key := range interfaceDiffers {
		if !found[key] && (latched || !strings.HasPrefix(key, "hijacked -")) { // otherwise it is the *net.TCPConn
			t.Errorf("%s: listed, and there is no such difference", key)
		}
	}
}
