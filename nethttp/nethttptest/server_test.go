package nethttptest_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp/nethttptest"
)

// echo responds with what the server saw of a request.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s %s", r.Host, r.URL.Path)
	if r.TLS != nil {
		fmt.Fprintf(w, " by TLS for %q", r.TLS.ServerName)
	}
})

// get returns the body of url, or the error.
func get(t testing.TB, c *http.Client, url string) string {
	t.Helper()
	res, err := c.Get(url)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

// Server has the names that a test may use of httptest.Server.
func TestNamesOfHTTPTest(t *testing.T) {
	theirs, ours := reflect.TypeFor[httptest.Server](), reflect.TypeFor[nethttptest.Server]()
	for _, f := range reflect.VisibleFields(theirs) {
		if g, ok := ours.FieldByName(f.Name); f.IsExported() && (!ok || f.Type != g.Type) {
			t.Errorf("%s %s is missing", f.Name, f.Type)
		}
	}
	theirs, ours = reflect.PointerTo(theirs), reflect.PointerTo(ours)
	for m := range theirs.Methods() {
		if n, ok := ours.MethodByName(m.Name); !ok || n.Type.NumIn() != m.Type.NumIn() || n.Type.NumOut() != m.Type.NumOut() {
			t.Errorf("%s is missing", m.Name)
		}
	}
	w := nethttptest.NewRecorder()
	echo(w, nethttptest.NewRequest("GET", "/a", nil))
	if got := w.Body.String(); got != "example.com /a" {
		t.Errorf("%q", got)
	}
	r := nethttptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	if r.Context() != t.Context() || nethttptest.DefaultRemoteAddr != httptest.DefaultRemoteAddr {
		t.Error("another request")
	}
}

func TestServer(t *testing.T) {
	for name, s := range map[string]*nethttptest.Server{
		"on a port": nethttptest.NewServer(echo),
		"in memory": nethttptest.NewMemoryServer(echo),
	} {
		t.Run(name, func(t *testing.T) {
			defer s.Close()
			if s.Certificate() != nil {
				t.Error("a certificate without TLS")
			}
			authority := strings.TrimPrefix(s.URL, "http://")
			for url, want := range map[string]string{
				s.URL + "/a":               authority + " /a",
				"http://example.com/b":     "example.com /b",
				"http://www.example.com/c": "www.example.com /c",
			} {
				if got := get(t, s.Client(), url); got != want {
					t.Errorf("%s: %q, want %q", url, got, want)
				}
			}
		})
	}
}

func TestTLSServer(t *testing.T) {
	for name, s := range map[string]*nethttptest.Server{
		"on a port": nethttptest.NewUnstartedServer(echo),
		"in memory": nethttptest.NewUnstartedMemoryServer(echo),
	} {
		t.Run(name, func(t *testing.T) {
			s.Config.ErrorLog = logTo(io.Discard)
			s.StartTLS()
			defer s.Close()
			if !strings.HasPrefix(s.URL, "https://") {
				t.Error(s.URL)
			}
			if s.Certificate() == nil || s.Certificate().VerifyHostname("example.com") != nil || s.TLS == nil {
				t.Error("no certificate for example.com")
			}
			if got := get(t, s.Client(), s.URL); !strings.Contains(got, " / by TLS for ") {
				t.Errorf("%q", got)
			}
			if got := get(t, s.Client(), "https://www.example.com/"); got != `www.example.com / by TLS for "www.example.com"` {
				t.Errorf("%q", got)
			}
			tr := s.Client().Transport.(*http.Transport).Clone()
			tr.TLSClientConfig = nil
			defer tr.CloseIdleConnections()
			if got := get(t, &http.Client{Transport: tr}, s.URL); !strings.Contains(got, "certificate") {
				t.Errorf("a client that trusts nobody: %q", got)
			}
		})
	}
}

// Settings made before the start of a server apply, and so does a handler set afterwards.
func TestServerIsConfigured(t *testing.T) {
	s := nethttptest.NewUnstartedServer(nil)
	defer s.Close()
	if s.Client() != nil || s.URL != "" {
		t.Error("it has begun")
	}
	cert := tls.Certificate{}
	func() {
		ts := httptest.NewTLSServer(nil)
		defer ts.Close()
		cert = ts.TLS.Certificates[0]
	}()
	logged := make(lines, 10)
	given := &tls.Config{Certificates: []tls.Certificate{cert}}
	s.TLS, s.EnableHTTP2 = given, true
	s.Config = &http.Server{Handler: echo, MaxHeaderBytes: 1000, ErrorLog: logTo(logged)}
	s.StartTLS()
	if s.TLS == given || given.NextProtos != nil || !s.Client().Transport.(*http.Transport).ForceAttemptHTTP2 {
		t.Error("the settings were changed, or HTTP/2 is not asked for")
	}
	if org := s.Certificate().Subject.Organization[0]; org != "Acme Co" {
		t.Errorf("the certificate of %s", org)
	}
	// The server says so in its response, or has said so in its SETTINGS before the client asked.
	got := get(t, s.Client(), s.URL+"/"+strings.Repeat("a", 2000))
	if !strings.Contains(got, "too large") && !strings.Contains(got, "larger than peer's advertised limit") {
		t.Errorf("%q", got)
	}
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto, " ", r.Context().Value(http.ServerContextKey) == s.Config)
	})
	if got = get(t, s.Client(), s.URL); got != "HTTP/2.0 true" {
		t.Errorf("%q", got)
	}
	before := s.TLS
	wantPanic(t, "Server already started", s.Start)
	wantPanic(t, "Server already started", s.StartTLS)
	if s.TLS != before {
		t.Error("TLS was changed by a second start")
	}
}

func wantPanic(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, text) {
			t.Errorf("panicked with %s, want %q", v, text)
		}
	}()
	f()
}

// ErrorLog may be set after the start, if nothing was logged yet, without a data race.
func TestErrorLogSetLate(t *testing.T) {
	for _, start := range []func(http.Handler) *nethttptest.Server{nethttptest.NewServer, nethttptest.NewTLSServer} {
		s := start(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("of the handler") }))
		logged := new(strings.Builder)
		s.Config.ErrorLog = log.New(logged, "", 0)
		get(t, s.Client(), s.URL)
		s.Close()
		if !strings.Contains(logged.String(), "panic serving") {
			t.Errorf("logged %q", logged)
		}
	}
}

// NextProtos set by a test are kept, and none are added.
func TestNextProtosAreKept(t *testing.T) {
	for _, own := range [][]string{nil, {"http/1.1"}} {
		s := nethttptest.NewUnstartedServer(echo)
		s.TLS, s.EnableHTTP2 = &tls.Config{NextProtos: own}, own != nil
		s.StartTLS()
		if len(s.TLS.NextProtos) != len(own) {
			t.Errorf("%q became %q", own, s.TLS.NextProtos)
		}
		s.Close()
	}
}

func TestABadCertificate(t *testing.T) {
	s := nethttptest.NewUnstartedMemoryServer(echo)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{{1, 2, 3}}}}}
	wantPanic(t, "nethttptest: StartTLS: x509", s.StartTLS)
}

// The Client resolves only example.com to the server.
func TestClientReachesOthers(t *testing.T) {
	s, other := nethttptest.NewTLSServer(echo), nethttptest.NewServer(says("another server"))
	defer s.Close()
	defer other.Close()
	if got := get(t, s.Client(), other.URL); got != "another server" {
		t.Errorf("%q", got)
	}
	dialled := ""
	//lint:ignore SA1019 a test of httptest's may set it
	s.Client().Transport.(*http.Transport).Dial = func(network, addr string) (net.Conn, error) {
		dialled = addr
		return net.Dial(network, s.Listener.Addr().String())
	}
	if got := get(t, s.Client(), "https://example.com/a"); dialled != "example.com:443" || !strings.HasPrefix(got, "example.com /a") {
		t.Errorf("%q by %q", got, dialled)
	}
}

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) })
}

// idle counts how often its idle connections are closed.
type idle struct {
	http.RoundTripper
	closed int
}

func (i *idle) CloseIdleConnections() { i.closed++ }

// Close closes the idle connections of the Client and of http.DefaultTransport.
func TestCloseEndsIdleConnections(t *testing.T) {
	standard := http.DefaultTransport
	defer func() { http.DefaultTransport = standard }()
	byDefault, own := new(idle), new(idle)
	http.DefaultTransport = byDefault
	s := nethttptest.NewMemoryServer(echo)
	s.Client().Transport = own
	s.Close()
	if byDefault.closed != 1 || own.closed != 1 {
		t.Errorf("closed %d and %d times", byDefault.closed, own.closed)
	}
}

// lines is a log writer that a test can wait for.
type lines chan string

func (l lines) Write(p []byte) (int, error) { l <- string(p); return len(p), nil }

func logTo(w io.Writer) *log.Logger { return log.New(w, "", 0) }

// Close waits for the requests in progress.
func TestCloseWaits(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	s := nethttptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- true
		<-leave
		io.WriteString(w, "finished")
	}))
	answer := make(chan string)
	go func() { answer <- get(t, s.Client(), s.URL) }()
	<-entered
	closed := make(chan bool)
	go func() { s.Close(); close(closed) }()
	for { // until nobody listens
		nc, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			break
		}
		nc.Close()
	}
	select {
	case <-closed:
		t.Error("Close did not wait")
	default:
	}
	close(leave)
	if got := <-answer; got != "finished" {
		t.Errorf("%q", got)
	}
	<-closed
	s.Close() // once more does nothing
}

func TestCloseOfAnUnstartedServer(t *testing.T) {
	nethttptest.NewServer(echo).Close() // perhaps before it accepts
	s := nethttptest.NewUnstartedServer(echo)
	s.CloseClientConnections()
	s.Close()
	if _, err := s.Listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}

// CloseClientConnections fails the requests in progress, and later requests succeed.
func TestCloseClientConnections(t *testing.T) {
	for name, make := range map[string]func(http.Handler) *nethttptest.Server{
		"on a port": nethttptest.NewServer, "in memory": nethttptest.NewMemoryServer,
	} {
		t.Run(name, func(t *testing.T) { testCloseClientConnections(t, make) })
	}
}

func testCloseClientConnections(t *testing.T, newServer func(http.Handler) *nethttptest.Server) {
	entered, taken := make(chan bool), make(chan net.Conn, 1)
	mux := http.NewServeMux()
	mux.Handle("/", echo)
	mux.HandleFunc("/waits", func(w http.ResponseWriter, r *http.Request) {
		entered <- true
		<-r.Context().Done()
	})
	mux.HandleFunc("/takes", func(w http.ResponseWriter, r *http.Request) {
		nc, _, _ := http.NewResponseController(w).Hijack()
		io.WriteString(nc, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
		taken <- nc
	})
	s := newServer(mux)
	defer s.Close()

	upgrade, _ := http.NewRequest("GET", s.URL+"/takes", nil)
	upgrade.Header = http.Header{"Connection": {"upgrade"}, "Upgrade": {"x"}}
	res, err := s.Client().Do(upgrade)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	hijacked := <-taken
	defer hijacked.Close()

	answer := make(chan string)
	go func() { answer <- get(t, s.Client(), s.URL+"/waits") }()
	<-entered
	s.CloseClientConnections()
	if got := <-answer; !strings.Contains(got, "EOF") && !strings.Contains(got, "reset") {
		t.Errorf("the request under way: %q", got)
	}
	if got := get(t, s.Client(), s.URL+"/again"); !strings.HasSuffix(got, " /again") {
		t.Errorf("the next request: %q", got)
	}
	io.WriteString(hijacked, "still here")
	var b [10]byte
	if _, err := io.ReadFull(res.Body, b[:]); string(b[:]) != "still here" {
		t.Errorf("the connection that a handler has taken: %q, %v", b, err)
	}
}
