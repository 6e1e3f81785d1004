//go:build unix

package forward

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// selfSigned writes a certificate for 127.0.0.1 that has signed itself, and its key.
func selfSigned(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "friend"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}

// With -client-ca only diallers with a trusted certificate get a session.
func TestForwardCertificates(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t)
	echo := service(t, func(nc *net.TCPConn) { io.Copy(nc, nc) })
	far := clitest.Run(t, "forward", "-listen", "tls://127.0.0.1:0", "-cert", cert, "-key", key, "-client-ca", cert, "-to", "echo="+echo)
	addr, _, _ := strings.Cut(far.Says("listening on "), ",")
	stranger := clitest.Run(t, "forward", "-connect", addr, "-ca", cert, "-L", "0=echo", "-handshake", "1s", "-redial", "0")
	stranger.Ends(1)
	friend := clitest.Run(t, "forward", "-connect", addr, "-ca", cert, "-cert", cert, "-key", key, "-L", "0=echo")
	friend.Says("session ")
	door, _, _ := strings.Cut(friend.Says("forwarding "), " ")
	nc := dialDoor(t, door)
	io.WriteString(nc, "a friend")
	nc.CloseWrite()
	if got, err := io.ReadAll(nc); err != nil || string(got) != "a friend" {
		t.Errorf("%q, %v", got, err)
	}
	for _, s := range []*clitest.Script{friend, far} {
		s.Signal(os.Interrupt)
		s.Ends(0)
	}
}
