package transport

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/sys"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// variant is one way in which a Conn moves bytes. What its owner and its peer see must not depend on it, so that most tests
// run on every variant.
type variant struct {
	name    string
	network string // "tcp", "unix" or "pipe"
	raw     bool   // used by its descriptor
	split   wiretest.Split
	tls     role
}

// role is what a variant does with TLS.
type role uint8

const (
	without role = iota
	server       // Secure
	client       // Client
	foreign      // a tls.Conn that is not ours: brittle
)

var variants = []variant{
	{name: "raw tcp", network: "tcp", raw: true},
	{name: "plain tcp", network: "tcp"},
	{name: "raw unix", network: "unix", raw: true},
	{name: "plain unix", network: "unix"},
	{name: "pipe", network: "pipe"},
	{name: "pipe cut at every byte", network: "pipe", split: wiretest.EveryByte},
	{name: "tls on raw tcp", network: "tcp", raw: true, tls: server},
	{name: "tls on plain tcp", network: "tcp", tls: server},
	{name: "tls on raw unix", network: "unix", raw: true, tls: server},
	{name: "tls on plain unix", network: "unix", tls: server},
	{name: "tls on a pipe", network: "pipe", tls: server},
	{name: "tls on a pipe cut at every byte", network: "pipe", split: wiretest.EveryByte, tls: server},
	{name: "tls client on raw tcp", network: "tcp", raw: true, tls: client},
	{name: "tls client on a pipe", network: "pipe", tls: client},
	{name: "brittle on tcp", network: "tcp", tls: foreign},
	{name: "brittle on a pipe cut at every byte", network: "pipe", split: wiretest.EveryByte, tls: foreign},
}

func isSocket(k variant) bool  { return k.raw }
func isNet(k variant) bool     { return k.network != "pipe" }
func isLayer(k variant) bool   { return k.tls == server || k.tls == client }
func isClear(k variant) bool   { return k.tls == without }
func isLasting(k variant) bool { return k.tls != foreign }

func both(f, g func(variant) bool) func(variant) bool {
	return func(k variant) bool { return f(k) && g(k) }
}

// onEvery runs test on every variant.
func onEvery(t *testing.T, test func(t *testing.T, p *pair)) { onSome(t, nil, test) }

// onSome runs test on the variants that fit.
func onSome(t *testing.T, fits func(variant) bool, test func(t *testing.T, p *pair)) {
	for _, k := range variants {
		if fits == nil || fits(k) {
			t.Run(k.name, func(t *testing.T) {
				if k.raw && !sys.Available {
					t.Skip("no raw sockets on this system")
				}
				test(t, newPair(t, k))
			})
		}
	}
}

// pair is a connection: near is used by a Conn, far by the test.
type pair struct {
	variant
	c    *Conn
	near net.Conn     // what c is on, below TLS
	far  net.Conn     // the peer: decrypted, what c sends and receives
	wire *countedConn // far, below TLS
	sent int          // how many bytes had come over the wire when the handshake was over
}

// newPair connects. The sockets buffer little, so that they are soon full.
func newPair(t *testing.T, k variant) *pair {
	t.Helper()
	near, far := connect(t, k)
	p := &pair{variant: k, c: new(Conn), near: near, wire: &countedConn{Conn: far}}
	p.far = p.wire
	switch k.tls {
	case without:
		p.c.Init(near, k.raw)
	case server:
		p.c.Init(near, k.raw)
		p.c.Secure(tls.Server, serverConfig())
		p.far = shakeHands(t, p.c.Handshake, tls.Client(p.wire, clientConfig()))
	case client:
		tc := Client(near, clientConfig())
		p.far = shakeHands(t, tc.Handshake, tls.Server(p.wire, serverConfig()))
		p.c.Init(tc, k.raw)
	case foreign:
		tc := tls.Server(near, serverConfig())
		p.far = shakeHands(t, tc.Handshake, tls.Client(p.wire, clientConfig()))
		p.c.Init(tc, k.raw)
	}
	p.sent = p.wire.count()
	t.Cleanup(func() {
		_ = far.Close()
		p.c.Close()
	})
	return p
}

// shakeHands does a handshake from both sides.
func shakeHands(t testing.TB, near func() error, far *tls.Conn) *tls.Conn {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- near() }()
	if err := far.Handshake(); err != nil {
		t.Fatal("the peer's handshake: ", err)
	}
	if err := within(t, "the handshake", done); err != nil {
		t.Fatal("handshake: ", err)
	}
	return far
}

const pipeHolds = 8 << 10

// connect returns the ends of a connection.
func connect(t testing.TB, k variant) (near, far net.Conn) {
	t.Helper()
	if k.network == "pipe" {
		n, f := wiretest.Pipe(wiretest.Config{Buffer: pipeHolds, Split: k.split}, wiretest.Config{Buffer: pipeHolds, Split: k.split})
		return n, f
	}
	addr := "127.0.0.1:0"
	if k.network == "unix" {
		addr = socketName(t)
	}
	l, err := net.Listen(k.network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if far, err = net.Dial(k.network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if near, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	for _, nc := range []net.Conn{near, far} {
		b := nc.(interface {
			SetReadBuffer(int) error
			SetWriteBuffer(int) error
		})
		_ = b.SetReadBuffer(256 << 10)
		_ = b.SetWriteBuffer(128 << 10)
	}
	return near, far
}

// socketName returns a name for a unix socket; the directories of tests may have names that are too long.
func socketName(t testing.TB) string {
	dir, err := os.MkdirTemp("", "sw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// tooMuch is more than the connection holds.
func (v variant) tooMuch() int {
	if v.network == "pipe" {
		if v.tls == without {
			return 4 * pipeHolds
		}
		return 3 * maxEncrypted
	}
	return 2 << 20
}

// countedConn counts what is read, and can keep back what is written.
type countedConn struct {
	net.Conn
	mu      sync.Mutex
	read    int
	holding bool
	kept    []byte
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.holding {
		c.kept = append(c.kept, p...)
		c.mu.Unlock()
		return len(p), nil
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// hold keeps back what is written until the returned function is called.
func (c *countedConn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = true
}

func (c *countedConn) held() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.kept
	c.holding, c.kept = false, nil
	return kept
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	c.read += n
	c.mu.Unlock()
	return n, err
}

func (c *countedConn) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read
}

func (c *countedConn) CloseWrite() error {
	return c.Conn.(interface{ CloseWrite() error }).CloseWrite()
}

// tell makes the peer send s.
func (p *pair) tell(t testing.TB, s string) {
	t.Helper()
	_ = p.far.SetWriteDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(p.far, s); err != nil {
		t.Fatalf("the peer cannot say %q: %v", s, err)
	}
}

// hear expects the peer to read s next.
func (p *pair) hear(t testing.TB, s string) {
	t.Helper()
	_ = p.far.SetReadDeadline(time.Now().Add(patience))
	got := make([]byte, len(s))
	if n, err := io.ReadFull(p.far, got); string(got) != s {
		t.Fatalf("the peer read %d bytes (%.40q), %v; want %d bytes (%.40q)", n, got[:n], err, len(s), s)
	}
}

// hearEnd expects the peer to read the end of the stream, and nothing before.
func (p *pair) hearEnd(t testing.TB) {
	t.Helper()
	_ = p.far.SetReadDeadline(time.Now().Add(patience))
	if n, err := p.far.Read(make([]byte, 16)); n != 0 || err != io.EOF {
		t.Fatalf("the peer read %d bytes, %v; want the end", n, err)
	}
}

// read expects c to read s next.
func (p *pair) read(t testing.TB, s string) {
	t.Helper()
	got := make([]byte, len(s))
	_ = p.near.SetReadDeadline(time.Now().Add(patience))
	if n, err := io.ReadFull(reader{p.c}, got); string(got) != s {
		t.Fatalf("read %q, %v; want %q", got[:n], err, s)
	}
	_ = p.near.SetReadDeadline(time.Time{})
}

// reader makes an io.Reader of a Conn.
type reader struct{ c *Conn }

func (r reader) Read(p []byte) (int, error) { return r.c.Read(p) }

// send sends s, all of it.
func (p *pair) send(t testing.TB, s string) {
	t.Helper()
	b := Batch{A: []byte(s)}
	if _, err := p.c.Send(&b, false); err != nil || !b.Empty() || p.c.Unsent() {
		t.Fatalf("Send of %.40q: %v; %d bytes left, unsent %v", s, err, b.Size(), p.c.Unsent())
	}
}

// patience is how long an event may take that must come.
const patience = time.Minute

// within returns the next value of c.
func within[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited for %s in vain\n%s", what, stacks())
		panic("unreachable")
	}
}

func stacks() []byte {
	b := make([]byte, 1<<20)
	return b[:runtime.Stack(b, true)]
}

// awaitBlocked waits until a goroutine blocks within the given function, for a wake in the middle of a wait.
func awaitBlocked(t testing.TB, function string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		for g := range strings.SplitSeq(string(stacks()), "\n\n") {
			head, _, _ := strings.Cut(g, "\n")
			if strings.Contains(g, function+"(") && (strings.Contains(head, "[IO wait") || strings.Contains(head, "[sync.Cond.Wait")) {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("waited in vain for a goroutine that blocks in %s\n%s", function, stacks())
		}
	}
}

// until calls f until it returns true.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

// pattern returns size bytes that differ from themselves when shifted. They must not be changed.
func pattern(size int) []byte {
	if p := longPattern(); size <= len(p) {
		return p[:size:size]
	}
	return makePattern(size)
}

var longPattern = sync.OnceValue(func() []byte { return makePattern(8 << 20) })

func makePattern(size int) []byte {
	p := make([]byte, size)
	x := uint32(1)
	for i := range p {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		p[i] = byte(x)
	}
	return p
}

// drain reads what the peer gets until the end, and then passes all of it on.
func (p *pair) drain() <-chan []byte {
	all := make(chan []byte, 1)
	_ = p.far.SetReadDeadline(time.Now().Add(patience))
	go func() {
		b, _ := io.ReadAll(p.far)
		all <- b
	}()
	return all
}

// same fails if the peer got other bytes.
func same(t testing.TB, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Fatalf("the peer got %d bytes, want %d; they differ from byte %d on", len(got), len(want), at)
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"near"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})

// Tickets would be TLS's own output at the beginning, and come unexpectedly.
func serverConfig() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{certificate()}, SessionTicketsDisabled: true}
}

func clientConfig() *tls.Config {
	return &tls.Config{ServerName: "near", InsecureSkipVerify: true}
}

// tlsServer and tlsClient wrap a connection.
var tlsServer, tlsClient = tls.Server, tls.Client

// seal returns the record that the peer would send for s, for tests in which it arrives in parts.
func (p *pair) seal(t testing.TB, s string) []byte {
	t.Helper()
	p.wire.hold()
	if _, err := io.WriteString(p.far, s); err != nil {
		t.Fatal(err)
	}
	return p.wire.held()
}
