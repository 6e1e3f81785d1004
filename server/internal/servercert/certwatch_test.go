package servercert

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The files are checked once a second, by one handshake at a time, and each new certificate is logged.
func TestCertificatesAreLookedAtOnceASecond(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	written := time.Now().Add(-time.Hour)
	put := func() {
		cert, key := pemPair(t)
		written = written.Add(time.Minute)
		for name, content := range map[string][]byte{certFile: cert, keyFile: key} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, written, written); err != nil {
				t.Fatal(err)
			}
		}
	}
	put()
	var log bytes.Buffer
	f, err := OpenFiles(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if f.checked.Load() == 0 {
		t.Error("the first look does not count")
	}
	first := f.Get()
	f.reload()
	if f.Get() != first || log.Len() > 0 {
		t.Errorf("files that have not changed since they were opened were read again: %s", log.String())
	}
	for same := false; !same; { // the second must not change meanwhile
		put()
		first = f.current.Load()
		now := time.Now().Unix()
		f.checked.Store(now)
		got := f.Get()
		if same = now == time.Now().Unix(); same && got != first {
			t.Error("the files were looked at twice within a second")
		}
	}
	log.Reset()
	f.checked.Store(0)
	f.reloading.Store(true) // another handshake is reading them
	if f.Get() != first {
		t.Error("two read the files at once")
	}
	f.reloading.Store(false)
	f.checked.Store(0)
	if f.Get() == first {
		t.Error("the new certificate is not given out")
	}
	if n := strings.Count(log.String(), "certificate reloaded"); n != 1 {
		t.Errorf("the new certificate was logged %d times: %s", n, log.String())
	}
	if f.reloading.Load() || f.checked.Load() == 0 {
		t.Error("the look has not ended")
	}
}
