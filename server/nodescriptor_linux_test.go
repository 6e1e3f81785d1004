package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// A file that exists and cannot be opened gets 500, and ServeFile returns why.
func TestServeFileWithoutDescriptors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
		none := limit
		none.Cur = 3 // numbers from 3 on are not given out; those that are open stay open
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
			t.Error(err)
		}
		err := w.ServeFile(name)
		if restored := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); restored != nil {
			t.Error(restored)
		}
		if !errors.Is(err, syscall.EMFILE) {
			t.Errorf("ServeFile: %v, want EMFILE", err)
		}
	})
	wantStatus(t, f.exchange(t, get("/")), "500 Internal Server Error")
}
