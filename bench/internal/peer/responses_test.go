package peer

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The response for each path has its length and type, and a path that no peer serves has none.
func TestAnswersAreAsLongAsTheySay(t *testing.T) {
	for path, want := range map[string]int{PathText: 13, PathJSON: 1024, Path16K: 16384, Path64K: 65536, Path1M: 1048576, PathClose: 13} {
		if _, body, _ := Expect(path, 0); len(body) != want {
			t.Errorf("%s has %d bytes, want %d", path, len(body), want)
		}
	}
	if _, body, _ := Expect(PathJSON, 0); !json.Valid(body) || bytes.ContainsAny(body, `'$\`) {
		t.Errorf("no JSON, or bytes that mean something to nginx: %s", body)
	}
	if _, body, _ := Expect(PathPost, 1024); string(body) != "1024" {
		t.Errorf("a body of 1024 bytes: got %q, want 1024", body)
	}
	if kind, body, _ := Expect(PathWork, 0); kind != typeJSON || !json.Valid(body) || !bytes.Contains(body, []byte(`"done":true`)) {
		t.Errorf("the work is %q, %s", body, kind)
	}
	if _, body, end := Expect(PathSleep+"?ms=5", 0); string(body) != "Hello, World!" || end {
		t.Errorf("after sleep: %q, end %v", body, end)
	}
	if _, body, _ := Expect("/else", 0); body != nil {
		t.Errorf("a path that nobody serves: got %q, want no response", body)
	}
}

// The query of a sleep gives its milliseconds, and an invalid one is an error.
func TestMilliseconds(t *testing.T) {
	for query, want := range map[string]time.Duration{"ms=0": 0, "ms=5": 5 * time.Millisecond, "ms=100": 100 * time.Millisecond} {
		if got, err := milliseconds([]byte(query)); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", query, got, err, want)
		}
	}
	for _, query := range []string{"", "ms=", "ms=-1", "ms=99999", "s=1"} {
		if got, err := milliseconds([]byte(query)); err == nil {
			t.Errorf("%q is %v, want an error", query, got)
		}
	}
}

// The configuration of nginx has the address and the response of each path.
func TestNginxConfiguration(t *testing.T) {
	conf := ConfigureNginx("/some/where", "127.0.0.1:1")
	for _, want := range []string{
		"listen 127.0.0.1:1 backlog=4096;",
		"location = /plaintext { default_type 'text/plain; charset=utf-8'; return 200 'Hello, World!'; }",
		"location = /64k { default_type 'application/octet-stream'; alias /some/where/64k; }",
		"location = /close { default_type 'text/plain; charset=utf-8'; keepalive_timeout 0; return 200 'Hello, World!'; }",
		"pid /some/where/nginx.pid;",
	} {
		if !strings.Contains(conf, want) {
			t.Errorf("the configuration lacks %q:\n%s", want, conf)
		}
	}
}

// The error says that nginx is not installed.
func TestNginxIsMissing(t *testing.T) {
	if _, err := FindNginx(); err == nil {
		t.Skip("nginx is installed")
	} else if err.Error() != "nginx is not installed" {
		t.Error(err)
	}
}

// Each known word gets a line with the process's state, and an unknown one is an error.
func TestControl(t *testing.T) {
	var out strings.Builder
	err := Control(strings.NewReader("counts\nmemory\n"), &out)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var s State
		if err := json.Unmarshal([]byte(line), &s); err != nil || s.RSS == 0 || s.HeapInUse == 0 || s.Mallocs == 0 || s.Goroutines == 0 {
			t.Errorf("line %d is %q, %v", i, line, err)
		}
	}
	if err := Control(strings.NewReader("sing\n"), &out); err == nil || !strings.Contains(err.Error(), `no word "sing"`) {
		t.Errorf("a word that it does not know: %v", err)
	}
}

// An unknown peer is an error that names it.
func TestUnknownPeer(t *testing.T) {
	if err := Serve("apache", nil, false); err == nil || !strings.Contains(err.Error(), `"apache"`) {
		t.Errorf("an unknown peer: %v", err)
	}
	if Known("apache") || !Known(Nginx) {
		t.Error("the peers that are known are not those that there are")
	}
}
