package h1client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// kind is a way of having a connection.
type kind struct {
	name string
	pipe bool // in memory, where a reader gets one byte at a time
	loop netconn.Loop
	tls  bool
}

var kinds = []kind{
	{name: "socket"},
	{name: "plain", loop: netconn.Plain},
	{name: "pipe", pipe: true},
	{name: "socket, TLS", tls: true},
	{name: "plain, TLS", loop: netconn.Plain, tls: true},
	{name: "pipe, TLS", pipe: true, tls: true},
}

var socket = kinds[0]

// sees reports whether such a connection is used by its descriptor, so that it can be looked at.
func (k kind) sees() bool {
	return runtime.GOOS == "linux" && !k.pipe && k.loop != netconn.Plain && os.Getenv("SHOCKWAVE_LOOP") != "plain"
}

// onEvery runs f on every kind of connection.
func onEvery(t *testing.T, f func(t *testing.T, k kind)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

// ends returns both ends of a connection; near is the client's.
func ends(t testing.TB, k kind) (near, far net.Conn) {
	t.Helper()
	if k.pipe {
		near, far = wiretest.Pipe(wiretest.Config{Split: wiretest.EveryByte}, wiretest.Config{})
	} else {
		near, far = loopback(t)
	}
	if k.tls {
		near, far = secured(t, near, far)
	}
	return near, far
}

// loopback returns both ends of a TCP connection. The system buffers little, so that a writer soon has to wait.
func loopback(t testing.TB) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	_ = near.(*net.TCPConn).SetWriteBuffer(64 << 10)
	_ = far.(*net.TCPConn).SetReadBuffer(64 << 10)
	return near, far
}

// secured puts TLS on a connection.
func secured(t testing.TB, near, far net.Conn) (client, server net.Conn) {
	t.Helper()
	c := netconn.TLSClient(near, &tls.Config{InsecureSkipVerify: true})
	s := &tlsEnd{Conn: tls.Server(far, serverTLS()), below: far}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shaken := later(func() error { return s.HandshakeContext(ctx) })
	if err := errors.Join(c.HandshakeContext(ctx), wiretest.Within(t, "the handshake", shaken)); err != nil {
		t.Fatal(err)
	}
	return c, s
}

// tlsEnd is a tls.Conn whose halves are those of the connection below.
type tlsEnd struct {
	*tls.Conn
	below net.Conn
}

// SetLinger makes a reset of Close.
func (e *tlsEnd) SetLinger(sec int) error {
	return e.below.(interface{ SetLinger(int) error }).SetLinger(sec)
}

// serverTLS is a server's configuration, with a certificate of its own.
var serverTLS = sync.OnceValue(func() *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
})
