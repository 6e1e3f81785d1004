//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe would block whoever opens it until somebody writes.
func TestFilesDoNotOpenPipes(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := startServe(t, serveOptions{dir: dir})
	if resp, _ := r.do("GET", "/pipe"); resp.StatusCode != 404 {
		t.Errorf("GET /pipe: %s, want 404", resp.Status)
	}
}
