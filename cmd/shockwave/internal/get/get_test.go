package get

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/echo"
)

// getting runs get and returns its exit code and what it has printed.
func getting(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = program(append([]string{"get"}, args...), cli.Console{Out: &o, Err: &e})
	return code, o.String(), e.String()
}

// each runs get and returns its lines as JSON has them, without the times.
func each(t *testing.T, code int, args ...string) (lines []map[string]any) {
	t.Helper()
	got, out, errs := getting(t, args...)
	if got != code {
		t.Errorf("exit code %d, want %d: %s", got, code, errs)
	}
	for line := range strings.Lines(out) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if ms, ok := m["ms"].(float64); !ok || ms < 0 || ms > 60_000 {
			t.Errorf("%q says that it took %v", line, m["ms"])
		}
		delete(m, "ms")
		lines = append(lines, m)
	}
	return lines
}

func asJSON(m map[string]any) string {
	b, _ := json.Marshal(m)
	return string(b)
}

// Each line has the status, the length and the beginning of the body.
func TestGetTellsWhatItGot(t *testing.T) {
	t.Parallel()
	r := clitest.Serve(t, echo.Options{})
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/bytes":
			w.Write([]byte("é<\xff\x00\"\n\xc3"))
		case "/long":
			fmt.Fprint(w, strings.Repeat("0123456789", 10_000))
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, strings.Repeat("z", 1000))
			z.Close()
		case "/there":
			http.Redirect(w, q, "/long", http.StatusFound)
		case "/login":
			user, password, _ := q.BasicAuth()
			fmt.Fprint(w, user+password)
		default:
			http.NotFound(w, q)
		}
	}))
	defer behind.Close()
	b := behind.URL
	hundred := strings.Repeat("0123456789", 6) + "0123"
	for _, tc := range []struct{ url, want string }{
		{r.URL + "/plaintext", `{"body":"Hello, World!","length":13,"proto":"HTTP/1.1","status":200,"url":"URL"}`},
		{b + "/bytes", `{"body":"é\u003c\\xff\u0000\"\n\\xc3","length":8,"proto":"HTTP/1.1","status":200,"url":"URL"}`},
		{b + "/long", `{"body":"` + hundred + `","length":100000,"proto":"HTTP/1.1","status":200,"url":"URL"}`},
		{b + "/gzip", `{"body":"` + strings.Repeat("z", 64) + `","length":1000,"proto":"HTTP/1.1","status":200,"url":"URL"}`},
		{b + "/there", `{"body":"` + hundred + `","length":100000,"proto":"HTTP/1.1","status":200,"url":"URL"}`},
		{b + "/nowhere", `{"body":"404 page not found\n","length":19,"proto":"HTTP/1.1","status":404,"url":"URL"}`},
	} {
		if lines := each(t, 0, tc.url); len(lines) != 1 || asJSON(lines[0]) != strings.Replace(tc.want, "URL", tc.url, 1) {
			t.Errorf("%s: %s\nwant %s", tc.url, asJSON(lines[0]), tc.want)
		}
	}
	if lines := each(t, 0, strings.Replace(b, "//", "//user:secret@", 1)+"/login"); lines[0]["body"] != "usersecret" ||
		strings.Contains(lines[0]["url"].(string), "secret") {
		t.Errorf("a URL with a password: %s", asJSON(lines[0]))
	}
	if lines := each(t, 0, strings.TrimPrefix(b, "http://")+"/long"); lines[0]["length"] != 100000.0 {
		t.Errorf("a URL without http://: %s", asJSON(lines[0]))
	}
}

// The flags choose the protocol, and certificates are verified.
func TestGetSpeaksHTTP2AndTLS(t *testing.T) {
	clear, secure := clitest.Serve(t, echo.Options{}), clitest.Serve(t, echo.Options{Options: clitest.OverTLS})
	udp := clitest.Serve(t, echo.Options{Options: clitest.Alone})
	for _, tc := range []struct {
		args  []string
		code  int
		field string
		want  string
	}{
		{[]string{"-h2", clear.URL}, 0, "proto", "HTTP/2.0"},
		{[]string{"-k", secure.URL}, 0, "proto", "HTTP/2.0"},
		{[]string{"-k", "-h2", secure.URL}, 0, "proto", "HTTP/2.0"},
		{[]string{secure.URL}, 1, "error", "certificate"},
		{[]string{"-k", "-h3", udp.URL}, 0, "proto", "HTTP/3.0"},
		{[]string{"-k", "-h3", udp.Addr + "/plaintext"}, 0, "body", "Hello, World!"},
		{[]string{"-k", "-h3", "-timeout", "1s", udp.URL + "/sleep?ms=10000"}, 1, "error", "taken too long"},
		{[]string{"-h3", udp.URL}, 1, "error", "certificate"},
		{[]string{"-h3", clear.URL}, 1, "error", "https"},
		{[]string{strings.Replace(clear.URL, "http:", "https:", 1)}, 1, "error", "tls: "},
	} {
		if lines := each(t, tc.code, tc.args...); len(lines) != 1 || !strings.Contains(fmt.Sprint(lines[0][tc.field]), tc.want) {
			t.Errorf("%q: %s, want %s %q", tc.args, asJSON(lines[0]), tc.field, tc.want)
		}
	}
}

// URLs that are asked for at once are printed in the order of the command line.
func TestGetKeepsTheOrder(t *testing.T) {
	var at, most atomic.Int32
	all, once := make(chan bool), new(sync.Once)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := at.Add(1)
		if n > most.Load() {
			most.Store(n)
		}
		if n == 4 {
			once.Do(func() { close(all) })
		}
		<-all
		fmt.Fprint(w, r.URL.Path)
		at.Add(-1)
	}))
	defer s.Close()
	args := []string{"-c", "4"}
	for i := range 20 {
		args = append(args, fmt.Sprintf("%s/%d", s.URL, i))
	}
	lines := each(t, 0, args...)
	for i, m := range lines {
		if m["body"] != fmt.Sprintf("/%d", i) {
			t.Errorf("line %d is %s", i, asJSON(m))
		}
	}
	if len(lines) != 20 || most.Load() != 4 {
		t.Errorf("%d lines, %d at once; want 20 and 4", len(lines), most.Load())
	}
}

// Each failure has an error text, and the exit code is 1.
func TestGetFails(t *testing.T) {
	t.Parallel()
	good := clitest.Serve(t, echo.Options{})
	for url, want := range map[string]string{
		"http://127.0.0.1:1/":        "refused",
		"ftp://127.0.0.1/":           "http:// or https://",
		"http://":                    "host",
		"http://h h/":                "host",
		"http://no-such.invalid/":    "no-such.invalid",
		"http://127.0.0.1:99999/":    "port",
		good.URL + "/sleep?ms=10000": "taken too long",
	} {
		lines := each(t, 1, "-timeout", "2s", good.URL+"/plaintext", url, good.URL+"/plaintext")
		if len(lines) != 3 || lines[0]["status"] != 200.0 || lines[2]["status"] != 200.0 {
			t.Fatalf("%s: %v", url, lines)
		}
		if _, told := lines[1]["status"]; told || !strings.Contains(fmt.Sprint(lines[1]["error"]), want) {
			t.Errorf("%s: %s, want an error with %q", url, asJSON(lines[1]), want)
		}
	}
	if _, _, errs := getting(t, "http://127.0.0.1:1/", "http://127.0.0.1:1/"); errs != "shockwave: 2 of 2 URLs failed\n" {
		t.Errorf("it says %q", errs)
	}
}

// get ends when its output cannot be written.
func TestGetEndsWhenNobodyReads(t *testing.T) {
	r := clitest.Serve(t, echo.Options{})
	var errs bytes.Buffer
	if code := program([]string{"get", r.URL, r.URL, r.URL}, cli.Console{Out: clitest.ClosedWriter{}, Err: &errs}); code != 1 || errs.Len() == 0 {
		t.Errorf("exit code %d, %q", code, &errs)
	}
}
