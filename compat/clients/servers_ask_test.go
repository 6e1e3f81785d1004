package clients

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// visit is a client at a server.
type visit struct {
	doer
	url   string
	lacks string
	v     version
}

// Every client gets the same from every server, in each version, with TLS and without.
func TestServers(t *testing.T) {
	for _, srv := range servers {
		t.Run(srv.name, func(t *testing.T) {
			s := newSite(t)
			srv.start(t, s)
			for _, v := range []version{http1, http2} {
				for _, secure := range []bool{false, true} {
					for _, m := range makers {
						if strings.Contains(srv.lacks, string(v)) {
							continue
						}
						t.Run(fmt.Sprint(v, map[bool]string{true: " TLS "}[secure], " ", m.name), func(t *testing.T) {
							e := &visit{m.make(t, v, s.trust), s.url(v, secure), srv.lacks, v}
							e.files(t)
							e.uploads(t)
							e.crowd(t)
							if m.name != "net/http" {
								e.large(t)
							}
						})
					}
				}
			}
		})
	}
}

// files requests existing files, in every way.
func (e *visit) files(t *testing.T) {
	for range 2 {
		resp, body := ask(t, e, "GET", e.url+"/text.txt", nil)
		if resp.StatusCode != 200 || body != text || resp.Proto != string(e.v) {
			t.Errorf("GET: got %d, %d bytes, %s", resp.StatusCode, len(body), resp.Proto)
		}
		if !resp.Uncompressed && !strings.Contains(e.lacks, "gzip") {
			t.Errorf("it was not compressed: %v", resp.Header)
		}
		since := resp.Header.Get("Last-Modified")
		if resp, body = ask(t, e, "GET", e.url+"/text.txt", nil, "Accept-Encoding", "identity"); resp.Uncompressed || body != text || resp.ContentLength != int64(len(text)) {
			t.Errorf("as it is: %d bytes of %d, %v", len(body), resp.ContentLength, resp.Header)
		}
		if resp, body = ask(t, e, "GET", e.url+"/text.txt", nil, "If-Modified-Since", since); resp.StatusCode != 304 || body != "" {
			t.Errorf("not modified: got %d, %d bytes", resp.StatusCode, len(body))
		}
		if resp, body = ask(t, e, "HEAD", e.url+"/large", nil); resp.StatusCode != 200 || body != "" || resp.ContentLength != largeSize {
			t.Errorf("HEAD: %d, %d bytes of %d", resp.StatusCode, len(body), resp.ContentLength)
		}
		if resp, _ = ask(t, e, "GET", e.url+"/nothing", nil); resp.StatusCode != 404 {
			t.Errorf("what is not there: got %d, want 404", resp.StatusCode)
		}
		if resp, body = ask(t, e, "GET", e.url+"/folder", nil); resp.StatusCode != 200 || body != "the index" {
			t.Errorf(`a redirect: got %d, %q; want 200, "the index"`, resp.StatusCode, body)
		}
		if strings.Contains(e.lacks, "range") {
			continue
		}
		if resp, body = ask(t, e, "GET", e.url+"/text.txt", nil, "Range", "bytes=5-8"); resp.StatusCode != 206 || body != text[5:9] {
			t.Errorf("a range: got %d, %q", resp.StatusCode, body)
		}
	}
}

// uploads sends bodies whose length is known, and others.
func (e *visit) uploads(t *testing.T) {
	if strings.Contains(e.lacks, "up") {
		return
	}
	const size = 3<<20 + 1
	w := httptest.NewRecorder()
	sum(w, httptest.NewRequest("PUT", "/", &pattern{left: size}))
	for name, body := range map[string]io.Reader{
		"known": bytes.NewReader(readAll(t, &pattern{left: size})), "unknown": &pattern{left: size}, "small pieces": io.LimitReader(&trickle{pattern{left: size}}, size),
	} {
		if resp, said := ask(t, e, "PUT", e.url+"/up", body); resp.StatusCode != 200 || said != w.Body.String() {
			t.Errorf("%s: got %d, %q", name, resp.StatusCode, said)
		}
	}
	w = httptest.NewRecorder()
	sum(w, httptest.NewRequest("POST", "/", nil))
	for _, body := range []io.Reader{nil, io.MultiReader()} {
		if resp, said := ask(t, e, "POST", e.url+"/up", body); resp.StatusCode != 200 || said != w.Body.String() {
			t.Errorf("nothing: got %d, %q", resp.StatusCode, said)
		}
	}
}

func readAll(t *testing.T, r io.Reader) []byte {
	b, err := io.ReadAll(r)
	check(t, err)
	return b
}

// trickle is a reader in small pieces.
type trickle struct{ pattern }

// Read implements io.Reader.
func (r *trickle) Read(p []byte) (int, error) { return r.pattern.Read(p[:min(len(p), 1021)]) }

// crowd sends many requests at once, some of which are cancelled.
func (e *visit) crowd(t *testing.T) {
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for i := range 5 {
				if i%2 == 0 {
					if resp, body := ask(t, e, "GET", e.url+"/text.txt", nil); resp.StatusCode != 200 || body != text {
						t.Errorf("got %d, %d bytes", resp.StatusCode, len(body))
					}
					continue
				}
				req, _ := http.NewRequestWithContext(t.Context(), "GET", e.url+"/large", nil)
				resp, err := e.Do(req)
				if err != nil {
					t.Error(err)
					continue
				}
				if n, err := io.CopyN(io.Discard, resp.Body, 100_000); n != 100_000 || err != nil {
					t.Errorf("got %d bytes, %v", n, err)
				}
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
}

// mostGrown is by how much this process may grow while it reads what is large, in KiB.
const mostGrown = 48 << 10

// large reads what is large: every byte of it arrives, and memory does not follow it.
func (e *visit) large(t *testing.T) {
	before := forgetPeak()
	begun := time.Now()
	req, _ := http.NewRequestWithContext(t.Context(), "GET", e.url+"/large", nil)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := e.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	want, got := &pattern{left: largeSize}, make([]byte, 64<<10)
	n := int64(0)
	for b := make([]byte, len(got)); err == nil; {
		var k int
		k, err = resp.Body.Read(got)
		io.ReadFull(want, b[:k])
		if n += int64(k); !bytes.Equal(got[:k], b[:k]) {
			t.Fatalf("other bytes before %d", n)
		}
	}
	if n != largeSize || err != io.EOF {
		t.Errorf("got %d bytes, %v", n, err)
	}
	grown := peak() - before
	t.Logf("%d MiB in %.2f s; this process grew by %d KiB", n>>20, time.Since(begun).Seconds(), grown)
	if grown > mostGrown {
		t.Errorf("it grew by %d KiB", grown)
	}
}

// forgetPeak returns what this process has in memory now, in KiB, from which on peak counts. Elsewhere than on Linux both
// are 0.
func forgetPeak() int {
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return peak()
}

func peak() (kib int) {
	status, _ := os.ReadFile("/proc/self/status")
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(line, &kib)
	return kib
}
