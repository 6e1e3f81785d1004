package clitest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/server"
)

// Localhost listens on a free port, or on one that was free a moment ago.
func Localhost(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// CertificateFiles writes a certificate and its key to files.
func CertificateFiles(t *testing.T) (cert, key, sum string) {
	t.Helper()
	c, err := server.DevelopmentCertificate()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = t.TempDir()+"/cert.pem", t.TempDir()+"/key.pem"
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: c.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, certs.Sum(&tls.Config{Certificates: []tls.Certificate{c}})
}
