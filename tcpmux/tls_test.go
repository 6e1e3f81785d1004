package tcpmux_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// certificates returns the TLS of a listener and of a dialler that trusts it.
func certificates(t testing.TB) (listen, dial *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, _ := x509.ParseCertificate(der)
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: roots}
}

// A session over TLS carries messages and is resumed.
func TestTLS(t *testing.T) {
	listen, dial := certificates(t)
	l, err := tcpmux.Listen("tls://127.0.0.1:0", tcpmux.Config{TLSConfig: listen})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, l: l, p: newProxy(t, l.Addr().String()), ctx: t.Context()}
	defer l.Shutdown(r.ctx)
	a, err := tcpmux.Dial(r.ctx, strings.Replace(r.p.url(), "tcp", "tls", 1), tcpmux.Config{TLSConfig: dial})
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept(r.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if a.TLS() == nil || b.TLS() == nil {
		t.Error("TLS: got nil")
	}
	x, y := r.channel(a, b, "x")
	for range 10 {
		r.send(x, strings.Repeat("over tls", 50_000))
		r.p.cut()
		r.send(x, "small")
		r.want(y, strings.Repeat("over tls", 50_000))
		r.want(y, "small")
	}
	if a.Stats().Resumed == 0 {
		t.Error("the session was never resumed")
	}
	if end := shutdown(r.ctx, a); end.Undelivered != 0 || end.Err != nil {
		t.Errorf("got %+v, want Undelivered 0", end)
	}
}

// A TLS connection without keying material carries no session.
func TestUnboundTLS(t *testing.T) {
	listen, dial := certificates(t)
	for name, tc := range map[string]struct{ listener, dialler tls.RenegotiationSupport }{
		"here": {tls.RenegotiateNever, tls.RenegotiateFreelyAsClient}, "there": {tls.RenegotiateFreelyAsClient, tls.RenegotiateNever},
	} {
		refused := make(chan error, 1)
		listen, dial := listen.Clone(), dial.Clone()
		listen.Renegotiation, dial.Renegotiation = tc.listener, tc.dialler
		l, err := tcpmux.Listen("tls://127.0.0.1:0", tcpmux.Config{TLSConfig: listen, OnRefused: func(_ net.Addr, err error) { refused <- err }})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Shutdown(t.Context())
		s, err := tcpmux.Dial(t.Context(), "tls://"+l.Addr().String(), tcpmux.Config{TLSConfig: dial})
		why := <-refused
		if tc.dialler == tls.RenegotiateNever {
			err, why = why, err
		}
		if s != nil || err == nil || why == nil || !strings.HasPrefix(err.Error(), "tcpmux: TLS: ") {
			t.Errorf("%s: got %v, %v", name, err, why)
		}
	}
	l, err := tcpmux.Listen("tls://127.0.0.1:0", tcpmux.Config{TLSConfig: listen})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Shutdown(t.Context())
	var unknown x509.UnknownAuthorityError
	dialled := tcpmux.Config{HandshakeTimeout: long} // because the system's roots are read first
	if _, err := tcpmux.Dial(t.Context(), "tls://"+l.Addr().String(), dialled); !errors.As(err, &unknown) {
		t.Errorf("without roots of its own: %v", err)
	}
}
