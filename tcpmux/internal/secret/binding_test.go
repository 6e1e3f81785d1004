package secret

import (
	"bytes"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"
)

// TestBinding: both ends of a TLS connection have the same keying material, another connection has other, one that cannot have any is an
// error, and without TLS there is none.
func TestBinding(t *testing.T) {
	hs := httptest.NewTLSServer(nil) // for its certificate
	defer hs.Close()
	server := &tls.Config{Certificates: hs.TLS.Certificates}
	seen := map[string]bool{}
	for range 2 {
		near, far := handshake(t, server, &tls.Config{})
		a, err := Binding(near)
		if err != nil || len(a) != 32 {
			t.Fatalf("%x, %v", a, err)
		}
		if b, err := Binding(far); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%x and %x, %v", a, b, err)
		}
		seen[string(a)] = true
	}
	if len(seen) != 2 {
		t.Error("two connections have the same")
	}
	near, _ := handshake(t, server, &tls.Config{MaxVersion: tls.VersionTLS12, Renegotiation: tls.RenegotiateOnceAsClient})
	if b, err := Binding(near); err == nil {
		t.Errorf("%x of a connection that may be renegotiated", b)
	}
	if b, err := Binding(nil); b != nil || err != nil {
		t.Errorf("%x, %v without TLS", b, err)
	}
}

// handshake returns the states of the two ends of a TLS connection.
func handshake(t *testing.T, server, client *tls.Config) (near, far *tls.ConnectionState) {
	t.Helper()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	s := tls.Server(b, server)
	client.InsecureSkipVerify = true
	done := make(chan error, 1)
	go func() { done <- s.Handshake() }()
	c := tls.Client(a, client)
	if err := c.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	n, f := c.ConnectionState(), s.ConnectionState()
	return &n, &f
}

// TestNonce: nonces are not used twice.
func TestNonce(t *testing.T) {
	if a, b := NewNonce(), NewNonce(); a == b {
		t.Errorf("%x twice", a)
	}
}
