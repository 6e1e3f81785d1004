package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
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

// The response to plain HTTP on a TLS port arrives while the client is still sending.
func TestThePlainRequestIsHeardOut(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	k := wiretest.NewTalk(t, far)
	k.Send(" / HTTP/1.1\r\nHost: h\r\nCookie: " + strings.Repeat("c", 30_000))
	s := NewServer(Config{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.shared.handshakeFailed(near, tls.RecordHeaderError{RecordHeader: [5]byte([]byte("GET /"))})
		near.Close()
	}()
	k.WantUntil("the request was plain HTTP\n")
	k.Send(strings.Repeat("c", 30_000)) // the client is still sending
	k.WantEOF()
	k.Close()
	<-done
	if n := near.Unread(); n > 0 {
		t.Errorf("%d bytes were not heard", n)
	}
}

// The server waits at most a second for a client that does not read the response to plain HTTP.
func TestWhoDoesNotReadIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, room := range []int{1, 1 << 10} { // less than the response, all of it
			near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{Buffer: room})
			began := time.Now()
			NewServer(Config{}).shared.handshakeFailed(near, tls.RecordHeaderError{RecordHeader: [5]byte([]byte("GET /"))})
			if took := time.Since(began); took != time.Second {
				t.Errorf("room for %d bytes: it took %v, want 1 s", room, took)
			}
			near.Close()
			far.Close()
		}
	})
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

// Only an abandoned Unix socket is replaced; another file at the path stays.
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
