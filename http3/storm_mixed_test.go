package http3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// Clients of two kinds and one by hand come and go over networks that lose datagrams and change addresses; they upload, download,
// read slowly, cancel requests and reset streams, and the server does as much, until it is shut down meanwhile: every response
// that arrives is right, and nothing is left behind.
func TestMixedStorm(t *testing.T) {
	before := leftovers()
	for range 2 {
		newMixedStorm(t).run()
	}
	wiretest.Eventually(t, "the goroutines and descriptors of before", func() bool {
		now := leftovers()
		return now.goroutines <= before.goroutines && now.descriptors <= before.descriptors
	})
}

// things counts the goroutines and descriptors of a process.
type things struct{ goroutines, descriptors int }

func leftovers() things {
	open, _ := os.ReadDir("/proc/self/fd") // elsewhere than on Linux there are none
	return things{runtime.NumGoroutine(), len(open)}
}

// mixedStorm is one server with its clients.
type mixedStorm struct {
	*testing.T
	s       *nethttp.Server
	addr    string
	pc      net.PacketConn
	served  chan error
	visits  atomic.Int64
	sums    atomic.Int64 // responses that were compared
	closing atomic.Bool  // Shutdown has begun: requests may fail
}

// handshake is how long clients wait for a server that may have gone.
const handshake = time.Second

// visitsBefore is the number of visits before Shutdown.
const visitsBefore = 60

func newMixedStorm(t *testing.T) *mixedStorm {
	t.Helper()
	cert, _ := certificate()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mixedStorm{T: t, addr: pc.LocalAddr().String(), pc: pc, served: make(chan error, 1)}
	m.s = &nethttp.Server{Handler: http.HandlerFunc(behaveBadly), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}
	// The lines lose the ends of connections as well: then the server waits until it has heard nothing for long enough.
	go func() {
		m.served <- http3.NewServer(m.s, http3.Config{Budget: -1, MaxIdleTimeout: 2 * time.Second}).Serve(pc, "", "")
	}()
	return m
}

// behaveBadly is behave, and resets some requests.
func behaveBadly(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/cut": // in the midst of the response
		io.Copy(w, content(rand.IntN(300_000)))
		panic(http.ErrAbortHandler)
	case "/deaf": // in the midst of the request
		io.CopyN(io.Discard, r.Body, int64(rand.IntN(100_000)))
		panic(http.ErrAbortHandler)
	case "/leave": // the connection ends with the response
		w.Header().Set("Connection", "close")
	}
	behave(w, r)
}

func (m *mixedStorm) run() {
	var all sync.WaitGroup
	ended := make(chan error, 1)
	for i := range 6 {
		all.Go(func() {
			for !m.closing.Load() {
				m.visit(i)
				if m.visits.Add(1) == visitsBefore {
					go m.shutdown(ended)
				}
			}
		})
	}
	if err := wiretest.Within(m, "Shutdown", ended); err != nil {
		m.Errorf("Shutdown: %v", err)
	}
	all.Wait()
	if n := m.s.Stats(); n.OpenConnections != 0 || m.sums.Load() == 0 {
		m.Errorf("%d responses were compared; %+v", m.sums.Load(), n)
	}
	wiretest.Within(m, "the end of Serve", m.served)
	m.pc.Close()
}

// shutdown shuts the server down while the clients go on.
func (m *mixedStorm) shutdown(ended chan<- error) {
	m.closing.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ended <- m.s.Shutdown(ctx)
}

// visit is one client with a line of its own.
func (m *mixedStorm) visit(kind int) {
	l, err := openLine(m.addr, 0.005, 100+rand.IntN(400))
	if err != nil {
		m.Error(err)
		return
	}
	defer l.end()
	_, pool := certificate()
	switch kind % 3 {
	case 0:
		tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, QUICConfig: &quic.Config{HandshakeIdleTimeout: handshake, MaxIdleTimeout: 4 * time.Second}}
		m.ask(tr, l)
		tr.Close()
	case 1:
		tr := &http3.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, TLSHandshakeTimeout: handshake}
		m.ask(tr, l)
		tr.Close()
	default:
		m.byHand(l)
	}
}

// ask sends some requests at once.
func (m *mixedStorm) ask(rt http.RoundTripper, l *line) {
	m.request(rt, l) // quic-go's Transport must not be closed while its first request begins
	var all sync.WaitGroup
	for range rand.IntN(8) {
		all.Go(func() { m.request(rt, l) })
	}
	if rand.IntN(4) == 0 {
		return // the transport is closed meanwhile; all its requests end
	}
	all.Wait()
}

// request sends a request and checks its response.
func (m *mixedStorm) request(rt http.RoundTripper, l *line) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	body := noise(rand.IntN(100_000))
	path := []string{"/", "/sum", "/sum", "/echo", "/cut", "/deaf", "/leave", "/trailers", "/refuse"}[rand.IntN(9)]
	req, err := http.NewRequestWithContext(ctx, "POST", "https://"+l.addr+path, bytes.NewReader(body))
	if err != nil {
		m.Error(err)
		return
	}
	if rand.IntN(4) == 0 {
		time.AfterFunc(time.Duration(rand.IntN(20))*time.Millisecond, cancel)
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return // it was given up, reset, or the server ends
	}
	defer resp.Body.Close()
	var in io.Reader = resp.Body
	switch rand.IntN(5) {
	case 0:
		in = io.LimitReader(in, int64(rand.IntN(50_000)))
	case 1:
		in = slowly{in}
	}
	got, err := io.ReadAll(in)
	if in != resp.Body || err != nil {
		return
	}
	switch want := fmt.Sprintf("%d %x <nil>", len(body), sha256.Sum256(body)); {
	case path == "/sum" && string(got) != want:
		m.Errorf("%s, want %s", got, want)
	case path == "/echo" && !bytes.Equal(got, body):
		m.Errorf("%d of %d bytes", len(got), len(body))
	case path == "/cut" || path == "/deaf":
		m.Errorf("%s has ended well, with %d bytes", path, len(got))
	case path == "/sum":
		m.sums.Add(1)
	}
}

// slowly reads in small pieces, with pauses.
type slowly struct{ io.Reader }

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.Reader.Read(p[:min(len(p), 2000)])
}

// byHand is a client that resets streams, in either direction, at any time, and leaves without closing.
func (m *mixedStorm) byHand(l *line) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, pool := certificate()
	c, err := quic.DialAddr(ctx, l.addr, clientTLS(pool), &quic.Config{HandshakeIdleTimeout: handshake, MaxIdleTimeout: 4 * time.Second})
	if err != nil {
		return
	}
	defer c.CloseWithError(0x100, "")
	if u, err := c.OpenUniStream(); err == nil {
		u.Write([]byte{0, 4, 0})
	}
	for range 20 {
		s, err := c.OpenStreamSync(ctx)
		if err != nil {
			return
		}
		s.Write(unhex(m, post("")))
		s.Write(append([]byte{0, 0x80, 0, 0xff, 0xff}, make([]byte, rand.IntN(0xffff))...))
		switch rand.IntN(4) {
		case 0:
			s.CancelWrite(0x10c)
		case 1:
			s.CancelRead(0x10c)
		case 2:
			s.CancelWrite(0x10c)
			s.CancelRead(0x10c)
		default:
			s.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
			if _, err := io.CopyN(io.Discard, s, 1000); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			s.CancelWrite(0x10c)
			s.CancelRead(0x10c)
		}
	}
}
