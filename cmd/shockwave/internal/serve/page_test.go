package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// The page shows the protocol, the addresses and the head of its request.
func TestPageShowsItsConnection(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r := clitest.Serve(t, Options{Options: site.Options{TLS: secure}})
		k := r.Dial()
		k.Say("GET / HTTP/1.1\r\nHost: example.org\r\nX-Odd: <b>&\"\r\n\r\n")
		resp, body := k.Hear("GET")
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("GET /: %s, %s", resp.Status, resp.Header.Get("Content-Type"))
		}
		wants := []string{"HTTP/1.1", k.Conn.LocalAddr().String(), r.Addr, "number 1 on it", "kept open",
			"GET / HTTP/1.1\nHost: example.org\nX-Odd: &lt;b&gt;&amp;", "curl "}
		if secure {
			wants = append(wants, "TLS 1.3", "TLS_AES_128_GCM_SHA256", "curl -k ")
		}
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("tls=%v: the page does not say %q", secure, want)
			}
		}
		k.Say("GET / HTTP/1.0\r\n\r\n")
		if _, body := k.Hear("GET"); !strings.Contains(body, "number 2 on it") || !strings.Contains(body, "HTTP/1.0") {
			t.Errorf("tls=%v: the second request on the connection is not the second, or not HTTP/1.0", secure)
		}
		k.WantEnd()
	}
}

// The page loads nothing from elsewhere.
func TestPageStandsAlone(t *testing.T) {
	r := clitest.Serve(t, Options{})
	resp, body := r.Do("GET", "/")
	const docs = `<a href="https://github.com/shockwave-go/shockwave#readme"`
	if !strings.Contains(body, docs) {
		t.Error("the page does not lead to the documentation")
	}
	body = strings.Replace(body, docs, "", 1) // which is a link, and loads nothing
	for _, outside := range []string{`src="`, `href="http`, `href="/`, "@import", "url("} {
		if strings.Contains(body, outside) {
			t.Errorf("the page refers to something outside of it: %s", outside)
		}
	}
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; ") {
		t.Errorf("Content-Security-Policy %q", csp)
	}
}

// The live plots stand first, and bench is the first command to try.
func TestPageLeads(t *testing.T) {
	r := clitest.Serve(t, Options{})
	_, body := r.Do("GET", "/")
	at := -1
	for _, next := range []string{`id="rates"`, `id="trips"`, `id="cpus"`, `id="requests"`, "Try next", " bench http", " bench -text ws", "curl -v",
		"This connection", "Your request"} {
		i := strings.Index(body, next)
		if i < at {
			t.Errorf("%q is missing, or stands above what should lead", next)
		}
		at = i
	}
}

// Responses are counted by status, and switched connections as 101.
func TestPageCountsStatuses(t *testing.T) {
	r := clitest.Serve(t, Options{})
	for _, path := range []string{"/plaintext", "/plaintext", "/nowhere", "/ws"} {
		r.Do("GET", path)
	}
	k := r.Hello("/ws")
	pages, end := 2, time.Now().Add(10*time.Second)
	for ; ; time.Sleep(time.Millisecond) { // an answer is counted when it has left
		_, body := r.Do("GET", "/")
		if strings.Contains(body, fmt.Sprintf("1 × 101, %d × 200, 1 × 404, 1 × 426", pages)) {
			break
		}
		pages++
		if time.Now().After(end) {
			t.Fatalf("the page says\n%s", body[strings.Index(body, "Answers by"):][:200])
		}
	}
	k.Conn.Close()
}

// Methods besides GET and HEAD are refused.
func TestPageAnswersReadersOnly(t *testing.T) {
	r := clitest.Serve(t, Options{})
	for _, tc := range []struct {
		method, path string
		status       int
	}{
		{"HEAD", "/", 200},
		{"HEAD", "/counters", 200},
		{"GET", "/plaintext", 200},
		{"GET", "/elsewhere", 404},
		{"GET", "/connection/", 404},
		{"POST", "/", 405},
		{"DELETE", "/counters", 405},
	} {
		resp, _ := r.Do(tc.method, tc.path)
		if resp.StatusCode != tc.status {
			t.Errorf("%s %s: %s, want %d", tc.method, tc.path, resp.Status, tc.status)
		}
		if allow := resp.Header.Get("Allow"); tc.status == 405 && allow != "GET, HEAD" {
			t.Errorf("%s %s: Allow %q", tc.method, tc.path, allow)
		}
	}
}

// The requests of a connection are numbered.
func TestConnectionCountsRequests(t *testing.T) {
	r := clitest.Serve(t, Options{})
	k := r.Dial()
	for want := int64(1); want <= 3; want++ {
		k.Say("GET /connection HTTP/1.1\r\nHost: h\r\n\r\n")
		_, body := k.Hear("GET")
		var c connection
		if err := json.Unmarshal([]byte(body), &c); err != nil {
			t.Fatal(err)
		}
		if c.Request != want || c.Remote != k.Conn.LocalAddr().String() || c.Local != r.Addr || !c.KeepAlive || c.TLS != nil {
			t.Errorf("request %d: %+v", want, c)
		}
	}
}

// The counters are sent as server-sent events.
func TestCountersStream(t *testing.T) {
	t.Parallel()
	r := clitest.Serve(t, Options{})
	resp, err := r.Client.Get(r.URL + "/counters")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if ct := resp.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Errorf("Content-Type %q", ct)
	}
	events := bufio.NewReader(resp.Body)
	first := readSample(t, events)
	if first.Requests < 1 || first.Goroutines < 1 || first.Heap < 1 || first.CPUMicros < 1 || first.Open < 1 || first.Active < 1 {
		t.Errorf("first sample %+v", first)
	}
	for range 5 {
		r.Do("GET", "/plaintext")
	}
	last := readSample(t, events)
	for last.Requests-first.Requests < 5 {
		last = readSample(t, events)
	}
	if last.Requests-first.Requests != 5 || last.BytesIn <= first.BytesIn || last.BytesOut <= first.BytesOut || last.Millis <= first.Millis {
		t.Errorf("after five requests: %+v, before %+v", last, first)
	}
}

// readSample reads one event, which must be well-formed.
func readSample(t *testing.T, events *bufio.Reader) (s sample) {
	t.Helper()
	data, err := events.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if blank, err := events.ReadString('\n'); err != nil || blank != "\n" {
		t.Fatalf("after %q: %q, %v; want an empty line", data, blank, err)
	}
	field, ok := strings.CutPrefix(data, "data: ")
	if !ok {
		t.Fatalf("event %q", data)
	}
	if err := json.Unmarshal([]byte(field), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// An event stream ends when the server stops.
func TestStreamEndsWithTheServer(t *testing.T) {
	r := clitest.Serve(t, Options{})
	k := r.Dial()
	k.Say("GET /counters HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, err := http.ReadResponse(k.R, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.First()
	events := bufio.NewReader(resp.Body)
	for {
		if _, err := events.ReadString('\n'); err != nil {
			if err.Error() != "EOF" {
				t.Errorf("the stream ended with %v, want its last chunk", err)
			}
			break
		}
	}
	if err := r.End(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// An event stream ends when its client has gone.
func TestStreamEndsWithItsClient(t *testing.T) {
	t.Parallel()
	r := clitest.Serve(t, Options{})
	gone := r.Dial()
	gone.Say("GET /counters HTTP/1.1\r\nHost: h\r\n\r\n")
	if _, err := http.ReadResponse(gone.R, nil); err != nil {
		t.Fatal(err)
	}
	gone.Conn.Close()

	resp, err := r.Client.Get(r.URL + "/counters")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewReader(resp.Body)
	for s := readSample(t, events); s.Active > 1; s = readSample(t, events) {
		if s.Millis > clitest.Patience.Milliseconds() {
			t.Fatalf("the stream whose client left is still there: %+v", s)
		}
	}
}
