package breaks_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest/breaks"
)

// server accepts connections for a test.
type server struct {
	net.Listener
	conns chan net.Conn
}

func serve(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{l, make(chan net.Conn, 100)}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns <- c
		}
	}()
	return s
}

// pair returns both ends of a connection through a proxy.
func pair(t *testing.T, s *server, p *breaks.Proxy) (near, far net.Conn) {
	t.Helper()
	near, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	near.SetDeadline(time.Now().Add(10 * time.Second))
	t.Cleanup(func() { near.Close() })
	far = wiretest.Within(t, "a connection", s.conns)
	far.SetDeadline(time.Now().Add(10 * time.Second))
	t.Cleanup(func() { far.Close() })
	return near, far
}

func wantBytes(t *testing.T, from net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(from, got); err != nil || string(got) != want {
		t.Fatalf("%q, %v; want %q", got, err, want)
	}
}

func wantSilence(t *testing.T, from net.Conn) {
	t.Helper()
	from.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := from.Read(make([]byte, 1)); n > 0 || !errors.Is(err, syscall.EAGAIN) && !isTimeout(err) {
		t.Fatalf("%d bytes, %v; want silence", n, err)
	}
	from.SetReadDeadline(time.Now().Add(10 * time.Second))
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func wantError(t *testing.T, from net.Conn, want error) {
	t.Helper()
	if n, err := from.Read(make([]byte, 1)); n > 0 || !errors.Is(err, want) {
		t.Fatalf("%d bytes, %v; want %v", n, err, want)
	}
}

// The proxy carries bytes in both directions, and the end of each direction by itself.
func TestCarries(t *testing.T) {
	s := serve(t)
	p := breaks.New(t, s.Addr().String())
	near, far := pair(t, s, p)
	io.WriteString(near, "there")
	wantBytes(t, far, "there")
	near.(*net.TCPConn).CloseWrite()
	wantError(t, far, io.EOF)
	io.WriteString(far, "back")
	wantBytes(t, near, "back")
	far.Close()
	wantError(t, near, io.EOF)
	wiretest.Eventually(t, "the end", func() bool { return p.Live() == 0 })
}

// After a cut, each end sees what the kind of the cut says.
func TestCuts(t *testing.T) {
	for _, tc := range []struct {
		how  breaks.How
		near error
		far  error
	}{{breaks.End, io.EOF, io.EOF}, {breaks.Reset, syscall.ECONNRESET, syscall.ECONNRESET}, {breaks.Ghost, syscall.ECONNRESET, nil}} {
		s := serve(t)
		p := breaks.New(t, s.Addr().String())
		near, far := pair(t, s, p)
		io.WriteString(near, "a")
		wantBytes(t, far, "a")
		if n := p.Cut(tc.how); n != 1 {
			t.Errorf("%d connections are cut", n)
		}
		wantError(t, near, tc.near)
		if tc.far != nil {
			wantError(t, far, tc.far)
			continue
		}
		wantSilence(t, far)
		io.WriteString(far, "nobody hears that")
		wantSilence(t, far)
		if n := p.Cut(breaks.Reset); n != 0 || p.Live() != 1 {
			t.Errorf("%d cut, %d live", n, p.Live())
		}
		p.Exorcise()
		wantError(t, far, syscall.ECONNRESET)
	}
}

// In a black hole nothing arrives, and afterwards nothing is lost.
func TestBlackhole(t *testing.T) {
	s := serve(t)
	p := breaks.New(t, s.Addr().String())
	near, far := pair(t, s, p)
	p.Blackhole(true)
	io.WriteString(near, "late")
	io.WriteString(far, "too")
	wantSilence(t, far)
	wantSilence(t, near)
	p.Blackhole(false)
	wantBytes(t, far, "late")
	wantBytes(t, near, "too")
}

// While the proxy refuses, a new connection is reset and an old one goes on.
func TestRefuse(t *testing.T) {
	s := serve(t)
	p := breaks.New(t, s.Addr().String())
	near, far := pair(t, s, p)
	p.Refuse(true)
	c, err := net.Dial("tcp", p.Addr())
	if err == nil {
		_, err = c.Read(make([]byte, 1))
		c.Close()
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("refused: %v", err)
	}
	io.WriteString(near, "a")
	wantBytes(t, far, "a")
	p.Refuse(false)
	pair(t, s, p)
	if n := p.Accepted(); n != 3 {
		t.Errorf("%d accepted", n)
	}
}

// Over a slow proxy bytes arrive late, and at a low rate.
func TestSlow(t *testing.T) {
	s := serve(t)
	p := breaks.New(t, s.Addr().String())
	near, far := pair(t, s, p)
	p.Delay(80 * time.Millisecond)
	begin := time.Now()
	io.WriteString(near, "a")
	wantBytes(t, far, "a")
	if d := time.Since(begin); d < 80*time.Millisecond {
		t.Errorf("after %v", d)
	}
	p.Delay(0)
	p.Rate(1 << 20)
	begin = time.Now()
	go near.Write(make([]byte, 128<<10))
	wantBytes(t, far, string(make([]byte, 128<<10)))
	if d := time.Since(begin); d < 110*time.Millisecond {
		t.Errorf("128 KiB after %v", d)
	}
}

// With CutAfter, exactly the given number of bytes arrive.
func TestCutAfter(t *testing.T) {
	s := serve(t)
	p := breaks.New(t, s.Addr().String())
	p.CutAfter(1000)
	near, far := pair(t, s, p)
	go near.Write(bytes.Repeat([]byte("x"), 3000))
	got, _ := io.ReadAll(far)
	if len(got) != 1000 {
		t.Errorf("%d bytes have arrived", len(got))
	}
	wantError(t, near, syscall.ECONNRESET)
}
