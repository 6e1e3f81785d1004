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

// What was wrong with a file may pass without a trace in its size and time, as a
// permission does, or a lack of descriptors.
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
	if n := strings.Count(log.String(), "the old one stays"); n != 1 {
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
