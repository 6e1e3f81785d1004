package http3_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// serveOn serves page at a socket.
func serveOn(t *testing.T, pc net.PacketConn) (s *server.Server) {
	t.Helper()
	cert, _ := certificate()
	s = server.NewServer(server.Config{MaxBodyBytes: -1, Handler: server.HandlerFunc(page), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
	served := make(chan error, 1)
	go func() { served <- http3.NewServer(s, http3.Config{}).Serve(pc, "", "") }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != server.ErrServerClosed {
			t.Errorf("got %v, want %v", err, server.ErrServerClosed)
		}
		pc.Close()
	})
	return s
}

// noGSO is a socket whose network interface does not segment datagrams (UDP_SEGMENT, udp(7)): the kernel says EIO.
type noGSO struct {
	*net.UDPConn
	refused, single atomic.Int64
}

func (c *noGSO) WriteMsgUDP(b, oob []byte, to *net.UDPAddr) (int, int, error) {
	all, _ := unix.ParseSocketControlMessage(oob)
	for _, m := range all {
		if m.Header.Level == unix.IPPROTO_UDP && m.Header.Type == unix.UDP_SEGMENT {
			c.refused.Add(1)
			return 0, 0, &net.OpError{Op: "write", Net: "udp", Err: os.NewSyscallError("sendmsg", unix.EIO)}
		}
	}
	c.single.Add(1)
	return c.UDPConn.WriteMsgUDP(b, oob, to)
}

// When the kernel refuses to send several datagrams in one call, each is sent by a call of its own, and the connection does not
// ask the kernel again.
func TestNoGSO(t *testing.T) {
	if withRace {
		t.Skip("quic-go notes the refusal without a lock, on the goroutine that sends; the one that reads it sees it a little later")
	}
	pc, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	c := &noGSO{UDPConn: pc}
	serveOn(t, c)
	client := &http.Client{Transport: newTransport(t)}
	for range 10 {
		want1MiB(t, client, "https://"+pc.LocalAddr().String())
	}
	if n := c.refused.Load(); n > 1 {
		t.Errorf("segments were refused %d times", n)
	} else if n == 0 {
		t.Skip("the kernel has no UDP_SEGMENT")
	}
}

// want1MiB gets a page of that size.
func want1MiB(t *testing.T, c *http.Client, url string) {
	t.Helper()
	resp, err := c.Get(url + "/big")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); len(b) != 1<<20 || err != nil {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
}

// A socket bound to all addresses responds from the address that the client has used, and a connected socket takes no packets of
// others.
func TestAnswersFrom(t *testing.T) {
	for _, tc := range []struct{ listen, network, at string }{
		{"0.0.0.0:0", "udp4", "127.0.0.1"}, {"0.0.0.0:0", "udp4", "127.0.0.2"}, {"0.0.0.0:0", "udp4", "127.9.8.7"},
		{"[::]:0", "udp", "127.0.0.2"}, {"[::]:0", "udp", "::1"}, {"[::1]:0", "udp6", "::1"},
	} {
		t.Run(tc.listen+" "+tc.at, func(t *testing.T) {
			pc, err := net.ListenPacket(tc.network, tc.listen)
			if err != nil {
				t.Skip(err) // no IPv6
			}
			serveOn(t, pc)
			_, port, _ := net.SplitHostPort(pc.LocalAddr().String())
			l := newLine(t, net.JoinHostPort(tc.at, port), 0, 0)
			c := &http.Client{Transport: newTransport(t)}
			for range 3 {
				want1MiB(t, c, "https://"+l.addr)
				l.rebind()
			}
		})
	}
}

// One server serves several sockets.
func TestSeveralAddresses(t *testing.T) {
	cert, _ := certificate()
	s := server.NewServer(server.Config{Handler: server.HandlerFunc(page), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
	h := http3.NewServer(s, http3.Config{})
	served := make(chan error, 3)
	c := &http.Client{Transport: newTransport(t)}
	for i := range cap(served) {
		pc, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			t.Fatal(err)
		}
		defer pc.Close()
		go func() { served <- h.Serve(pc, "", "") }()
		l := newLine(t, pc.LocalAddr().String(), 0, 0)
		want1MiB(t, c, "https://"+l.addr)
	}
	s.Close()
	for range cap(served) {
		if err := <-served; err != server.ErrServerClosed {
			t.Errorf("got %v, want %v", err, server.ErrServerClosed)
		}
	}
}

// A client whose socket is closed in the middle of a response, so that its system refuses packets, does not disturb other
// clients.
func TestUnreachable(t *testing.T) {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, pc)
	l := newLine(t, pc.LocalAddr().String(), 0, 0)
	gone := &http.Client{Transport: newTransport(t)}
	resp, err := gone.Get("https://" + l.addr + "/big")
	if err != nil {
		t.Fatal(err)
	}
	io.CopyN(io.Discard, resp.Body, 1000)
	l.mu.Lock()
	l.back.Close()
	l.mu.Unlock()
	c := &http.Client{Transport: newTransport(t)}
	for range 5 {
		want1MiB(t, c, "https://"+pc.LocalAddr().String())
	}
	if n := s.Stats(); n.OpenConnections != 2 {
		t.Errorf("got %+v, want OpenConnections 2", n)
	}
	l.rebind() // the client is there again, at another address, and says something
	want1MiB(t, gone, "https://"+l.addr)
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
	resp.Body.Close()
}

// Connections work over a path that silently drops large datagrams.
func TestBlackHole(t *testing.T) {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveOn(t, pc)
	l := newLine(t, pc.LocalAddr().String(), 0, 0)
	l.largest.Store(1252)
	c := &http.Client{Transport: newTransport(t)}
	url := "https://" + l.addr
	for range 10 {
		want1MiB(t, c, url)
	}
	resp, err := c.Post(url+"/sum", "", bytes.NewReader(make([]byte, 5<<20)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if l.lost.Load() == 0 {
		t.Error("no larger packet was tried")
	}
}

// A client is told at once if nobody listens, and ignores such a report in the middle of a connection.
func TestClosedPort(t *testing.T) {
	tr := newTransport(t)
	tr.TLSHandshakeTimeout = -1
	ctx, cancel := within(t)
	defer cancel()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	pc.Close()
	req, err := http.NewRequestWithContext(ctx, "GET", "https://"+pc.LocalAddr().String()+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := tr.RoundTrip(req); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v, %v; want %v", resp, err, syscall.ECONNREFUSED)
	}

	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	l := newLine(t, r.addr, 0, 0)
	c := &http.Client{Transport: tr}
	url := "https://" + l.addr
	want1MiB(t, c, url)
	l.front.Close()
	done := make(chan bool)
	go func() {
		want1MiB(t, c, url)
		close(done)
	}()
	time.Sleep(50 * time.Millisecond) // the request is refused meanwhile; if it has not been sent yet, this shows less
	l.reopen(t)
	wiretest.Within(t, "the response", done)
	if n := r.s.Stats(); n.Connections != 1 || n.Requests != 2 {
		t.Errorf("got %+v; want Connections 1, Requests 2", n)
	}
}
