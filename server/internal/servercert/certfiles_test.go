package servercert

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A certificate file that could not be read is tried again, although its size and time are unchanged, as when its
// permissions or a lack of descriptors were the cause.
func TestFilesThatFailedAreTriedAgain(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	written := time.Now().Add(-time.Hour)
	put := func(name string, content []byte) {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, written, written); err != nil {
			t.Fatal(err)
		}
	}
	cert1, key1 := pemPair(t)
	put(certFile, cert1)
	put(keyFile, key1)
	var log bytes.Buffer
	f, err := OpenFiles(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	first := f.current.Load()

	cert2, key2 := pemPair(t)
	written = written.Add(time.Minute)
	put(certFile, cert2)
	put(keyFile, bytes.Repeat([]byte("x"), len(key2)))
	for range 3 {
		f.reload()
	}
	if n := strings.Count(log.String(), "the old one is kept"); n != 1 {
		t.Errorf("one change was logged %d times: %s", n, log.String())
	}
	if f.current.Load() != first {
		t.Error("a key that is none replaced the certificate")
	}
	put(keyFile, key2) // as large, and as old
	f.reload()
	second := f.current.Load()
	if block, _ := pem.Decode(cert2); !bytes.Equal(second.Certificate[0], block.Bytes) {
		t.Error("the new certificate is not used though nothing is wrong with it any more")
	}
	f.reload()
	if f.current.Load() != second {
		t.Error("files that did not change were read again")
	}
}

// pemPair makes a certificate and its key.
func pemPair(t *testing.T) (cert, key []byte) {
	t.Helper()
	c, err := Development()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
	return cert, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}
