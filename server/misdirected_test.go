package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestStartsRequest(t *testing.T) {
	for start, want := range map[string]bool{
		"GET /": true, "A /zz": true, "AZAZA": true, "POST ": true, "PUT /": true,
		" GET ": false, "get /": false, "GEt /": false, "G@T /": false, "G[T /": false, "GE1 /": false, "\x16\x03\x01\x02\x00": false,
	} {
		if got := startsRequest([5]byte([]byte(start))); got != want {
			t.Errorf("%q: %v, want %v", start, got, want)
		}
	}
}

func TestFileStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{fs.ErrNotExist, 404}, {errNotRegular, 404}, {fs.ErrPermission, 403}, {errors.New("disk on fire"), 500},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, 403},
		{fmt.Errorf("wrapped: %w", fs.ErrNotExist), 404},
	} {
		if got := fileStatus(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

// TestOnlyAbandonedSocketsAreReplaced: what else stands at the path stays.
func TestOnlyAbandonedSocketsAreReplaced(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Listen("unix:" + name); err == nil {
		l.Close()
		t.Error("listened where a file is")
	}
	if content, err := os.ReadFile(name); string(content) != "dear" {
		t.Errorf("the file became %q, %v", content, err)
	}
	if abandoned(name) || abandoned(name+"x") {
		t.Error("a file, or nothing, was taken for an abandoned socket")
	}
}
