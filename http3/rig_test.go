package http3_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/server"
)

// certificate is a certificate for 127.0.0.1, also as localhost.
var certificate = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		panic(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
})

// rig is a server and its clients.
type rig struct {
	*testing.T
	s    *server.Server
	addr string
	log  *lines
}

// lines collects lines of the log.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start serves a handler.
func start(t *testing.T, cfg server.Config, h3 http3.Config) *rig {
	t.Helper()
	return startOn(t, func(pc net.PacketConn) net.PacketConn { return pc }, cfg, h3)
}

// startOn serves a handler on a socket that wrap has changed.
func startOn(t *testing.T, wrap func(net.PacketConn) net.PacketConn, cfg server.Config, h3 http3.Config) *rig {
	t.Helper()
	cert, _ := certificate()
	r := &rig{T: t, log: new(lines)}
	cfg.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	cfg.Logger = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.s = server.NewServer(cfg)
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = pc.LocalAddr().String()
	served := make(chan error, 1)
	go func() { served <- http3.NewServer(r.s, h3).Serve(wrap(pc), "", "") }()
	t.Cleanup(func() {
		r.s.Close()
		select {
		case err := <-served:
			if err != server.ErrServerClosed {
				t.Errorf("Serve has returned %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("Serve has not returned")
		}
		pc.Close()
	})
	return r
}

// client returns quic-go's client.
func (r *rig) client() *http.Client {
	_, pool := certificate()
	t := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	r.Cleanup(func() { t.Close() })
	return &http.Client{Transport: t, Timeout: 20 * time.Second}
}

// dial returns a connection of QUIC.
func (r *rig) dial() *quic.Conn {
	r.Helper()
	return r.dialWith(&quic.Config{})
}

// dialWith is dial with a configuration of its own.
func (r *rig) dialWith(cfg *quic.Config) *quic.Conn {
	r.Helper()
	_, pool := certificate()
	c, err := quic.DialAddr(r.Context(), r.addr, clientTLS(pool), cfg)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { c.CloseWithError(0x100, "") })
	return c
}

// get expects a response of 200 and returns its body.
func (r *rig) get(c *http.Client, path string) string {
	r.Helper()
	resp, err := c.Get("https://" + r.addr + path)
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		r.Fatalf("%s: got %s, %v", path, resp.Status, err)
	}
	return string(b)
}

// clientTLS is a client's configuration.
func clientTLS(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, NextProtos: []string{"h3"}, ServerName: "127.0.0.1"}
}

// within waits for a limited time.
func within(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 20*time.Second)
}
