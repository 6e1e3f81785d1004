package nethttp_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// readFile is a file that counts how often it is read. Sendfile does not read it.
type readFile struct {
	*os.File
	reads *atomic.Int32
}

// Read implements io.Reader.
func (c readFile) Read(p []byte) (int, error) {
	c.reads.Add(1)
	return c.File.Read(p)
}

// ReadAt implements io.ReaderAt.
func (c readFile) ReadAt(p []byte, at int64) (int, error) {
	c.reads.Add(1)
	return c.File.ReadAt(p, at)
}

// A wrapped file is read no more often than with net/http, for each wrapper that net/http recognizes. Without a length,
// in chunks, both read it.
func TestFilesAreSentByTheSystem(t *testing.T) {
	const size = 300_000
	content := strings.Repeat("0123456789", size/10)
	name := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int32
	ways := map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, f readFile)
		body   string
	}{
		"CopyN":       {func(w http.ResponseWriter, r *http.Request, f readFile) { io.CopyN(w, f, size) }, content},
		"LimitReader": {func(w http.ResponseWriter, r *http.Request, f readFile) { io.Copy(w, io.LimitReader(f, 1<<40)) }, content},
		"ServeContent": {func(w http.ResponseWriter, r *http.Request, f readFile) {
			http.ServeContent(w, r, "f.txt", time.Time{}, f)
		}, content},
		"a range": {func(w http.ResponseWriter, r *http.Request, f readFile) {
			r.Header.Set("Range", "bytes=5-100004")
			http.ServeContent(w, r, "f.txt", time.Time{}, f)
		}, content[5:100_005]},
		"a section": {func(w http.ResponseWriter, r *http.Request, f readFile) {
			io.Copy(w, io.NewSectionReader(f, 0, 1<<40))
		}, content},
		"a served section": {func(w http.ResponseWriter, r *http.Request, f readFile) {
			http.ServeContent(w, r, "f.txt", time.Time{}, io.NewSectionReader(f, 10, size-20))
		}, content[10 : size-10]},
	}
	over := make(chan struct{}, 1) // the handler has returned: the goroutine may read on when the client has the whole response
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { over <- struct{}{} }()
		f, err := os.Open(name)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		w.Header().Set("Content-Type", "text/plain")
		way := ways[r.URL.Query().Get("way")]
		w.Header().Set("Content-Length", strconv.Itoa(len(way.body)))
		way.answer(w, r, readFile{f, &reads})
	})
	std := httptest.NewServer(h)
	defer std.Close()
	ours := "http://" + serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	hooked := "http://" + serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet(), ConnState: func(_ net.Conn, _ http.ConnState) {}})
	for way, tc := range ways {
		var counts [3]int32
		for i, url := range [...]string{std.URL, ours, hooked} {
			reads.Store(0)
			req, _ := http.NewRequest("GET", url, nil)
			req.URL.RawQuery = "way=" + strings.ReplaceAll(way, " ", "+")
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			if string(b) != tc.body || err != nil {
				t.Errorf("%s from %d: %d bytes, %v", way, i, len(b), err)
			}
			wiretest.Within(t, "the handler's end", over)
			counts[i] = reads.Load()
		}
		if most := min(counts[0], 1); counts[1] > most || counts[2] > most {
			t.Errorf("%s: net/http reads the file %d times, nethttp %d, with a hook %d", way, counts[0], counts[1], counts[2])
		}
	}
}
