package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
	"github.com/shockwave-go/shockwave/server"
)

// paper is a carrier whose streams record the calls that they get.
type paper struct {
	host  carrier.Host
	steps []string
	block chan struct{} // Shutdown waits for this
}

func (p *paper) StopAccepting()    { p.steps = append(p.steps, "stop") }
func (p *paper) CloseConnections() { p.steps = append(p.steps, "close") }
func (p *paper) Stats() netconn.Stats {
	return netconn.Stats{Accepted: 7, Open: 6, Active: 5, Parked: 4, BytesIn: 3, BytesOut: 2, AcceptErrors: 8, Slow: 9, Panics: 1}
}

func (p *paper) Shutdown(ctx context.Context) error {
	p.steps = append(p.steps, "shutdown")
	select {
	case <-p.block:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// carriedBy returns a server with a paper as its carrier.
func carriedBy(t *testing.T, cfg server.Config) (*server.Server, *paper) {
	t.Helper()
	cfg.TLSConfig = &tls.Config{Certificates: make([]tls.Certificate, 1)}
	s := server.NewServer(cfg)
	p := &paper{block: make(chan struct{})}
	host, err := facelink.Carry(s, p)
	if err != nil {
		t.Fatal(err)
	}
	p.host = host
	return s, p
}

// sheet is a stream of a paper.
type sheet struct {
	unread  []byte // the content of the request; all of it has arrived
	mu      sync.Mutex
	out     []string
	failing error
	gone    func()
}

func (s *sheet) write(format string, args ...any) {
	s.mu.Lock()
	s.out = append(s.out, fmt.Sprintf(format, args...))
	s.mu.Unlock()
}

func (s *sheet) Unread() []byte                        { return s.unread }
func (s *sheet) Take(n int)                            { s.unread = s.unread[n:] }
func (s *sheet) Fill() ([]byte, error)                 { return nil, io.EOF }
func (s *sheet) TLS() *tls.ConnectionState             { return new(tls.ConnectionState) }
func (s *sheet) LocalAddr() net.Addr                   { return &net.UDPAddr{Port: 1} }
func (s *sheet) RemoteAddr() net.Addr                  { return &net.UDPAddr{Port: 2} }
func (s *sheet) Wall() time.Time                       { return time.Unix(0, 0) }
func (s *sheet) Draining() bool                        { return false }
func (s *sheet) OnGone(f func()) netconn.GoneCall      { return s.OnGoneInline(f) }
func (s *sheet) Gone() bool                            { return false }
func (s *sheet) NoteGone()                             {}
func (s *sheet) AllowPauses()                          {}
func (s *sheet) SetReadDeadline(time.Time) error       { return nil }
func (s *sheet) SetWriteDeadline(time.Time) error      { return nil }
func (s *sheet) WireError(_ string, err error) error   { return err }
func (s *sheet) SetTimeouts(r, w time.Duration)        { s.write("timeouts %v %v", r, w) }
func (s *sheet) Flush() error                          { return nil }
func (s *sheet) Abort(why carrier.Reason)              { s.write("abort %d", why) }
func (s *sheet) Last()                                 { s.write("last") }
func (s *sheet) TakeOver()                             { s.write("taken over") }
func (s *sheet) ReadExpired() bool                     { return false }
func (s *sheet) Interrupt(err error)                   { s.write("interrupted") }
func (s *sheet) Finish()                               { s.write("finish") }
func (s *sheet) ForgetGone(uint64) bool                { f := s.gone; s.gone = nil; return f != nil }
func (s *sheet) AppendStatus(dst []byte, n int) []byte { return fmt.Appendf(dst, "%d ", n) }
func (s *sheet) AppendField(dst []byte, name, v string) []byte {
	return fmt.Appendf(dst, "%s=%s ", name, v)
}
func (s *sheet) AppendFieldBytes(dst, name, value []byte) []byte {
	return fmt.Appendf(dst, "%s=%s ", name, value)
}
func (s *sheet) OnGoneInline(f func()) netconn.GoneCall {
	s.gone = f
	return netconn.GoneCall{Keeper: s}
}
func (s *sheet) section(x carrier.Section) (text string) {
	return strings.TrimSpace(string(x.AppendTo(s, nil)))
}

func (s *sheet) Read(p []byte) (int, error) {
	n := copy(p, s.unread)
	if s.Take(n); n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (s *sheet) Inform(x carrier.Section, wait bool) error {
	s.write("inform %s", s.section(x))
	return nil
}

func (s *sheet) Send(head carrier.Section, a, b []byte, trailer carrier.Section, end carrier.End) error {
	if s.failing != nil {
		return s.failing
	}
	if head != nil {
		s.write("head %s", s.section(head))
	}
	if len(a)+len(b) > 0 {
		s.write("%s%s", a, b)
	}
	if trailer != nil {
		s.write("trailer %s", s.section(trailer))
	}
	if end != carrier.More {
		s.write("end %d", end)
	}
	return nil
}

// carry is a request for path.
func carry(method, path string, fields ...http2.Field) *carrier.Request {
	return &carrier.Request{ConnValue: "value", End: true, Head: &http2.Head{
		Method: method, Scheme: "https", Authority: "a.test", Path: path, Fields: fields, ContentLength: -1,
	}}
}

// What a handler does reaches the stream that carries it, and one exchange serves one request after the other.
func TestCarried(t *testing.T) {
	taken := make(chan net.Conn, 1)
	_, p := carriedBy(t, server.Config{
		ReadTimeout: time.Hour, WriteTimeout: time.Minute, MaxBodyBytes: 10,
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			w.Header().Set("Date", "D")
			switch string(r.Path()) {
			case "/":
				fmt.Fprintf(w, "%d %v %s %v", r.ProtoMajor(), r.Multiplexed(), r.Host(), r.ConnValue())
			case "/close":
				w.Header().Set("Connection", "close")
			case "/stream":
				w.EnableFullDuplex()
				w.Write([]byte("one"))
				w.Flush()
				w.Write([]byte("two"))
			case "/body":
				b, err := r.Body()
				fmt.Fprintf(w, "%s %v", b, err)
			case "/trailer":
				w.Trailer().Set("T", "v")
				w.Write([]byte("x"))
			case "/hint":
				w.WriteInformational(103, nil)
			case "/short":
				w.SetContentLength(5)
				w.Write([]byte("x"))
			case "/101":
				w.SetStatus(101)
			case "/panic":
				panic(server.ErrAbort)
			case "/tunnel":
				nc, _, err := w.Hijack()
				if err != nil {
					t.Error(err)
				}
				taken <- nc
			}
		}),
	})
	s := new(sheet)
	x := p.host.NewExchange(s, 3)
	for _, tc := range []struct {
		r       *carrier.Request
		body    string
		outcome carrier.Outcome
		want    string
	}{
		{r: carry("GET", "/"), want: "timeouts 0s 1m0s|head 200 content-length=19 date=D|3 true a.test value|end 1"},
		{r: carry("HEAD", "/"), want: "timeouts 0s 1m0s|head 200 content-length=19 date=D|end 1"},
		{r: carry("GET", "/close"), want: "timeouts 0s 1m0s|head 200 content-length=0 date=D|end 2"},
		{r: carry("GET", "/stream"), want: "timeouts 0s 1m0s|head 200 date=D|one|two|end 1"},
		{r: carry("POST", "/body"), body: "abc", want: "timeouts 1h0m0s 1m0s|head 200 content-length=9 date=D|abc <nil>|end 1"},
		{r: carry("GET", "/trailer"), want: "timeouts 0s 1m0s|head 200 date=D|x|trailer t=v|end 1"},
		{r: carry("GET", "/hint"), want: "timeouts 0s 1m0s|inform 103|head 200 content-length=0 date=D|end 1"},
		{r: carry("GET", "/short"), want: "timeouts 0s 1m0s|head 200 content-length=5 date=D|x|abort 0"},
		{r: carry("GET", "/101"), want: "timeouts 0s 1m0s|head 500 date=D|end 1"},
		{r: &carrier.Request{TooLarge: true, Head: &http2.Head{Method: "GET"}, End: true}, want: "timeouts 0s 1m0s|head 431"},
		{r: carry("GET", "/", http2.Field{Name: "expect", Value: "more"}), want: "timeouts 0s 1m0s|head 417"},
	} {
		s.out, s.unread = nil, []byte(tc.body)
		if tc.body != "" {
			tc.r.End = false
		}
		if o := x.Answer(tc.r); o != tc.outcome {
			t.Errorf("%s: outcome %d, want %d", tc.r.Head.Path, o, tc.outcome)
		}
		if got := strings.Join(s.out, "|"); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s %s: %s\nwant %s", tc.r.Head.Method, tc.r.Head.Path, got, tc.want)
		}
	}

	s.out = nil
	if o := p.host.NewExchange(s, 3).Answer(carry("GET", "/panic")); o != carrier.Failed || !slices.Contains(s.out, "abort 0") {
		t.Errorf("a panic: outcome %d, %q", o, s.out)
	}
	s.out, s.failing = nil, errors.New("cut")
	if o := p.host.NewExchange(s, 3).Answer(carry("GET", "/")); o != carrier.Answered || !slices.Contains(s.out, "abort 0") {
		t.Errorf("a stream that fails: outcome %d, %q", o, s.out)
	}

	s.out, s.failing, s.unread = nil, nil, []byte("ahead")
	connect := carry("CONNECT", "/tunnel", http2.Field{Name: "sec-websocket-version", Value: "13"})
	connect.Head.Protocol, connect.End = "websocket", false
	if o := p.host.NewExchange(s, 3).Answer(connect); o != carrier.TakenOver {
		t.Fatalf("a WebSocket: outcome %d, %q", o, s.out)
	}
	nc := <-taken
	fmt.Fprint(nc, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nbytes")
	nc.Close()
	if got := strings.Join(s.out, "|"); !strings.Contains(got, "taken over|head 200") || !strings.HasSuffix(got, "bytes|interrupted|finish") {
		t.Errorf("a WebSocket: %s", got)
	}
}

// The stream of a handler that calls runtime.Goexit is aborted.
func TestCarriedGoexit(t *testing.T) {
	_, p := carriedBy(t, server.Config{Logger: new(journal).logger(), Handler: server.HandlerFunc(func(*server.ResponseWriter, *server.Request) { runtime.Goexit() })})
	s, done := new(sheet), make(chan bool)
	go func() {
		defer close(done)
		p.host.NewExchange(s, 3).Answer(carry("GET", "/"))
		t.Error("Answer has returned")
	}()
	<-done
	if !slices.Contains(s.out, "abort 0") {
		t.Errorf("%q", s.out)
	}
}

// errand is a carrier's work.
type errand struct {
	host carrier.Host
	f    func()
}

func (e *errand) Work()      { e.f() }
func (e *errand) Now() int64 { return e.host.Now() }

// Shutdown of a server shuts its carriers down, and waits for them and for the workers; Stats count them.
func TestCarriers(t *testing.T) {
	s, p := carriedBy(t, server.Config{
		Handler: server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {}),
		OnConn:  func(net.Listener, net.Conn) any { return "it" },
	})
	if v := p.host.Connected(nil, nil); v != "it" {
		t.Error(v)
	}
	n := s.Stats()
	want := server.Stats{Connections: 7, OpenConnections: 6, ActiveConnections: 5, ParkedConnections: 4, BytesIn: 3, BytesOut: 2, AcceptErrors: 8, Timeouts: 9, Panics: 1}
	if n != want {
		t.Errorf("%+v, want %+v", n, want)
	}
	if set := p.host.Settings(); set.MaxHeadBytes != 64<<10 || set.HeadTimeout != 10*time.Second || !set.ExtendedConnect {
		t.Errorf("%+v", set)
	}
	p.host.Refused()
	if n := s.Stats().BadRequests; n != 1 {
		t.Errorf("%d requests were refused", n)
	}
	p.host.Join()
	hold, works := make(chan bool), make(chan bool)
	p.host.Wake(&errand{p.host, func() { works <- true; <-hold }})
	<-works
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); err != context.DeadlineExceeded {
		t.Errorf("while the carrier is not done: %v", err)
	}
	close(p.block)
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); err != context.DeadlineExceeded {
		t.Errorf("while a worker works: %v", err)
	}
	close(hold)
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	p.host.Leave()
	if _, err := facelink.Carry(s, p); err != server.ErrServerClosed {
		t.Errorf("a carrier that comes late: %v", err)
	}
	if s.Close(); !slices.Equal(p.steps[:2], []string{"stop", "shutdown"}) || p.steps[len(p.steps)-1] != "close" {
		t.Errorf("%q", p.steps)
	}
}
