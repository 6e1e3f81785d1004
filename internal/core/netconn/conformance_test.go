package netconn_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// kind is one serve loop on one transport. Every test of the conformance suite runs on each of them: what a protocol
// sees and what its peer sees must not depend on the loop.
type kind struct {
	name    string
	network string // "tcp", "unix" or "pipe"
	loop    netconn.Loop
	tls     bool
	foreign bool           // it is the listener's own
	split   wiretest.Split // of what the server reads; pipes only
	shared  bool           // other kinds are tested at the same time: leaks are checked when all have ended
}

var kinds = []kind{
	{name: "latched tcp", network: "tcp"},
	{name: "latched unix", network: "unix"},
	{name: "plain tcp", network: "tcp", loop: netconn.Plain},
	{name: "plain pipe", network: "pipe"},
	{name: "pipe cut at every byte", network: "pipe", split: wiretest.EveryByte},
	{name: "tls on latched tcp", network: "tcp", tls: true},
	{name: "tls on plain tcp", network: "tcp", loop: netconn.Plain, tls: true},
	{name: "tls of the listener", network: "tcp", tls: true, foreign: true},
}

// latched reports whether connections of this kind run inside the latch.
func (k kind) latched() bool {
	return k.loop == netconn.Auto && k.network != "pipe" && !k.foreign && runtime.GOOS == "linux" && os.Getenv("SHOCKWAVE_LOOP") != "plain"
}

// onEvery runs test on every kind of connection, at the same time.
func onEvery(t *testing.T, test func(t *testing.T, k kind)) {
	atOnce(t, isAny, test)
}

// onSome runs test on the kinds that fit, one after another: it may check the state of the process.
func onSome(t *testing.T, fits func(k kind) bool, test func(t *testing.T, k kind)) {
	for _, k := range kinds {
		if fits(k) {
			t.Run(k.name, func(t *testing.T) { test(t, k) })
		}
	}
}

// atOnce runs test on the kinds that fit, at the same time, because most tests mostly wait.
func atOnce(t *testing.T, fits func(k kind) bool, test func(t *testing.T, k kind)) {
	leaks := watchLeaks()
	t.Run("kinds", func(t *testing.T) {
		onSome(t, fits, func(t *testing.T, k kind) {
			t.Parallel()
			k.shared = true
			test(t, k)
		})
	})
	leaks.check(t)
}

func isAny(kind) bool       { return true }
func isLatched(k kind) bool { return k.latched() }
func isSocket(k kind) bool  { return k.network != "pipe" }
func isTCP(k kind) bool     { return k.network == "tcp" }
func isWhole(k kind) bool   { return k.split == nil }
func isTLS(k kind) bool     { return k.tls }
func isOurs(k kind) bool    { return !k.foreign }

// rig is an engine that serves one listener.
type rig struct {
	t     *testing.T
	kind  kind
	eng   *netconn.Engine
	clock *clock.Clock // the clock of still
	l     net.Listener
	begun atomic.Int64  // connections of lastWord that have their protocol
	ends  chan error    // the error of each Protocol.End
	done  chan struct{} // Serve has returned, with err
	err   error

	leaks leakWatch
}

func newRig(t *testing.T, k kind) *rig {
	return &rig{t: t, kind: k, ends: make(chan error, 20_000), leaks: watchLeaks()}
}

// protocol is a netconn.Protocol made of a function; End goes to the rig.
type protocol struct {
	r    *rig
	data func(c *netconn.Conn, in []byte) (int, error)
	end  func(c *netconn.Conn, err error)
}

func (p *protocol) Data(c *netconn.Conn, in []byte) (int, error) { return p.data(c, in) }

func (p *protocol) End(c *netconn.Conn, err error) {
	if p.end != nil {
		p.end(c, err)
	}
	p.r.ends <- err
}

// lines is a Data that takes whole lines and handles each with f. A line that must run outside the latch is not taken
// before Data runs there.
func lines(f func(c *netconn.Conn, line string) error) func(*netconn.Conn, []byte) (int, error) {
	return func(c *netconn.Conn, in []byte) (n int, err error) {
		for err == nil {
			i := bytes.IndexByte(in[n:], '\n')
			if i < 0 {
				return n, nil
			}
			if err = f(c, string(in[n:n+i])); err == netconn.ErrUnlatch {
				return n, err
			}
			n += i + 1
		}
		return n, err
	}
}

// outside is a Data that runs outside the latch; it takes a line and then calls f, which may read.
func outside(f func(c *netconn.Conn, line string) error) func(*netconn.Conn, []byte) (int, error) {
	return func(c *netconn.Conn, in []byte) (int, error) {
		for {
			i := bytes.IndexByte(c.Unread(), '\n')
			if i < 0 {
				return 0, nil
			}
			if c.Latched() {
				return 0, netconn.ErrUnlatch
			}
			line := string(c.Unread()[:i])
			c.Take(i + 1)
			if err := f(c, line); err != nil {
				return 0, err
			}
		}
	}
}

// echo responds to every line with the line itself.
func echo(c *netconn.Conn, line string) error {
	_, err := c.Write([]byte(line + "\n"))
	return err
}

// serve starts an engine with cfg whose connections run data. At the end of the test everything ends, and no goroutine
// and no descriptor may be left.
func serve(t *testing.T, k kind, cfg netconn.Config, data func(c *netconn.Conn, in []byte) (int, error)) *rig {
	t.Helper()
	r := newRig(t, k)
	if cfg.New == nil {
		cfg.New = func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			return &protocol{r: r, data: data}, nil
		}
	}
	return r.start(cfg, r.listen())
}

// start runs the engine on l.
func (r *rig) start(cfg netconn.Config, l net.Listener) *rig {
	r.t.Helper()
	k := r.kind
	cfg.Loop = k.loop
	r.l, r.clock = l, cfg.Clock
	r.eng = netconn.New(brief(cfg))
	r.done = make(chan struct{})
	var tlsCfg *tls.Config
	if k.tls {
		tlsCfg = serverTLS()
	}
	if k.foreign {
		l, tlsCfg = tls.NewListener(l, tlsCfg), nil
	}
	go func() {
		defer close(r.done)
		r.err = r.eng.Serve(l, tlsCfg)
	}()
	r.t.Cleanup(func() {
		_ = r.eng.Close()
		within(r.t, "Serve to return", r.done)
		eventually(r.t, "every connection to end", func() bool { return r.eng.Stats().Open == 0 })
		if !k.shared {
			r.leaks.check(r.t)
		}
	})
	return r
}

// brief returns cfg with a short lingering close, unless it sets one: most peers here close late.
func brief(cfg netconn.Config) netconn.Config {
	if cfg.LingerTimeout == 0 {
		cfg.LingerTimeout = millis(20)
	}
	return cfg
}

// still returns cfg with a clock that stands still: time passes only when the test moves the clock.
func still(cfg netconn.Config) netconn.Config {
	cfg.Clock = clock.NewManual()
	return cfg
}

// pass moves the clock by d.
func (r *rig) pass(d time.Duration) { r.clock.Advance(d) }

// passUntil moves the clock in steps until f is true. Between the steps other goroutines have a moment to run.
func (r *rig) passUntil(step time.Duration, what string, f func() bool) {
	r.t.Helper()
	eventually(r.t, what, func() bool {
		r.pass(step)
		return f()
	})
}

// ended reports whether a connection has ended that wantEnd has not yet reported.
func (r *rig) ended() bool { return len(r.ends) > 0 }

// settled waits until every connection waits for its peer, so that the effect of time does not depend on luck. What the
// test has sent before must have arrived.
func (r *rig) settled() {
	r.t.Helper()
	eventually(r.t, "every connection to wait", func() bool {
		for _, l := range r.eng.Links() {
			if !netconn.ReaderWaits(l) {
				return false
			}
		}
		return true
	})
}

// stuck waits until a write waits for l's peer, which seems to take nothing any more.
func stuck(t testing.TB, l *netconn.Link) {
	t.Helper()
	sent := int64(-1)
	eventually(t, "a write to wait", func() bool {
		before := sent
		sent = netconn.StatsOf(l).BytesOut
		return sent == before && netconn.WriterWaits(l)
	})
}

func (r *rig) listen() net.Listener {
	r.t.Helper()
	var l net.Listener
	var err error
	switch r.kind.network {
	case "pipe":
		return wiretest.Listen(wiretest.Config{Split: r.kind.split}, wiretest.Config{})
	case "unix":
		l, err = net.Listen("unix", filepath.Join(r.t.TempDir(), "s"))
	default:
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return l
}

// connect returns a new connection to the engine, after its TLS handshake.
func (r *rig) connect() (net.Conn, error) {
	transport, err := r.connectTransport()
	if err != nil || !r.kind.tls {
		return transport, err
	}
	return handshake(transport)
}

// handshake does the client's TLS handshake on transport.
func handshake(transport net.Conn) (net.Conn, error) {
	nc := &tlsClient{Conn: tls.Client(transport, &tls.Config{InsecureSkipVerify: true}), below: transport}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := nc.HandshakeContext(ctx); err != nil {
		_ = nc.Close()
		return nil, err
	}
	return nc, nil
}

// connectTransport returns a new connection without TLS.
func (r *rig) connectTransport() (net.Conn, error) {
	if p, ok := r.l.(*wiretest.Listener); ok {
		return p.Dial()
	}
	return net.DialTimeout(r.l.Addr().Network(), r.l.Addr().String(), patience)
}

// dial begins a conversation with the engine.
func (r *rig) dial() *wiretest.Talk {
	r.t.Helper()
	nc, err := r.connect()
	if err != nil {
		r.t.Fatal(err)
	}
	talk := wiretest.NewTalk(r.t, nc)
	talk.Timeout = patience
	return talk
}

// wantEnd expects that a connection has ended and returns the error that Protocol.End got.
func (r *rig) wantEnd() error {
	r.t.Helper()
	select {
	case err := <-r.ends:
		return err
	case <-time.After(patience):
		r.t.Fatalf("no connection ended within %v", patience)
		return nil
	}
}

// tlsClient is a TLS client that can be reset: after SetLinger(0) its Close sends no closing alert.
type tlsClient struct {
	*tls.Conn
	below  net.Conn
	abrupt bool
}

func (c *tlsClient) SetLinger(sec int) error {
	c.abrupt = sec == 0
	return c.below.(interface{ SetLinger(sec int) error }).SetLinger(sec)
}

func (c *tlsClient) Close() error {
	if c.abrupt {
		return c.below.Close()
	}
	return c.Conn.Close()
}

// CloseWrite sends the closing alert and then closes its half of the transport.
func (c *tlsClient) CloseWrite() error {
	if err := c.Conn.CloseWrite(); err != nil {
		return err
	}
	return c.below.(interface{ CloseWrite() error }).CloseWrite()
}

// transport returns the client's connection below TLS.
func transport(nc net.Conn) net.Conn {
	if c, ok := nc.(*tlsClient); ok {
		return c.below
	}
	return nc
}

// serverTLS returns a configuration with a certificate made for this run.
var serverTLS = sync.OnceValue(func() *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
})
