package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/clients/js"
	"github.com/shockwave-go/shockwave/streamsock"
)

// startSocketServe starts serve with its socket on tcp, too, and returns where that is.
func startSocketServe(t *testing.T, opt serveOptions) (r *running, tcp string) {
	t.Helper()
	opt.live.binds = append(opt.live.binds, "tcp://127.0.0.1:0")
	r = startServe(t, opt)
	at := regexp.MustCompile(`its socket is at tcp://(\S+), too`)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if m := at.FindStringSubmatch(r.out.String()); m != nil {
			return r, m[1]
		}
	}
	t.Fatalf("nobody says where the socket is: %s", r.out.String())
	return nil, ""
}

// wantTold reads binary messages until one is JSON, which it puts into v.
func (k *talk) wantTold(v any) {
	k.t.Helper()
	for {
		op, payload := k.hearFrame()
		if op != fin|binaries {
			k.t.Fatalf("a frame of %#x with %q", op, payload)
		}
		if strings.HasPrefix(payload, "{") {
			if err := json.Unmarshal([]byte(payload), v); err != nil {
				k.t.Fatalf("%q: %v", payload, err)
			}
			return
		}
	}
}

// TestPageSocket: messages come back over every transport, and who asks is told how all peers are doing.
func TestPageSocket(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		r, tcp := startSocketServe(t, serveOptions{siteOptions: siteOptions{tls: secure}})
		nc, err := net.Dial("tcp", tcp)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(patience))
		message := []byte("\x00\x00\x00\x06by tcp")
		nc.Write(message)
		got := make([]byte, len(message))
		if _, err := nc.Read(got); err != nil || !bytes.Equal(got, message) {
			t.Fatalf("%q came back, %v", got, err)
		}
		k := r.hello("/socket?live")
		var you struct{ You int }
		if k.wantTold(&you); you.You != 2 {
			t.Errorf("the second peer is %d", you.You)
		}
		k.sayFrame(fin|binaries, "by WebSocket")
		var s liveSample
		for k.wantTold(&s); len(s.List) < 2 || s.List[1].In == 0; {
			k.wantTold(&s)
		}
		transport := map[bool]string{false: "ws", true: "wss"}[secure]
		first, second := s.List[0], s.List[1]
		if first.ID != 1 || first.Transport != "tcp" || first.Remote != nc.LocalAddr().String() || first.In != 1 || first.InBytes != 6 || first.Out != 1 {
			t.Errorf("the first peer: %+v", first)
		}
		if second.ID != 2 || second.Transport != transport || second.Remote != k.nc.LocalAddr().String() || second.In != 1 || second.InBytes != 12 || second.Out < 2 {
			t.Errorf("the second peer: %+v", second)
		}
		if s.Peers != 2 || s.Came != 2 || s.Refused != 0 || s.In != 2 || s.InBytes != 18 || s.Out != first.Out+second.Out || s.More != 0 || s.Millis <= 0 {
			t.Errorf("all: %+v", s)
		}
		nc.Close()
		for s = (liveSample{}); s.Peers != 1; {
			s = liveSample{}
			k.wantTold(&s)
		}
		if s.In != 2 || len(s.List) != 1 || s.List[0].ID != 2 {
			t.Errorf("when the first has gone: %+v", s)
		}
		if resp, _ := r.do("GET", "/socket"); resp.StatusCode != 426 {
			t.Errorf("without an upgrade: %s, want 426", resp.Status)
		}
		if resp := r.dial().upgrade("/socket", "Origin: http://elsewhere.example"); resp.StatusCode != 403 {
			t.Errorf("from a foreign page: %s, want 403", resp.Status)
		}
		r.first()
		for {
			op, payload := k.hearFrame()
			if op == fin|closes {
				if payload != "\x03\xe9" {
					t.Errorf("it goes away with %q", payload)
				}
				break
			}
		}
		k.sayFrame(fin|closes, "\x03\xe9")
		k.nc.Close()
	}
}

// TestPageSocketByItsClient: package streamsock is told what the page is told.
func TestPageSocketByItsClient(t *testing.T) {
	t.Parallel()
	r := startServe(t, serveOptions{})
	c := streamsock.New(streamsock.Config{})
	defer c.Close(t.Context())
	if _, err := c.Connect("ws://" + r.addr + "/socket?live"); err != nil {
		t.Fatal(err)
	}
	var told []string
	for m := range c.Messages() {
		if told = append(told, string(m.Data)); len(told) == 2 {
			break
		}
	}
	if told[0] != `{"you":1}` || !strings.Contains(told[1], `"list":[{"id":1,"transport":"ws",`) {
		t.Errorf("told %q", told)
	}
}

// TestPageSocketIsBounded: no more peers than may be, no more at once, no more watchers, no longer messages.
func TestPageSocketIsBounded(t *testing.T) {
	t.Parallel()
	r := startServe(t, serveOptions{live: liveOptions{maxPeers: liveWatchers + 1}})
	var watchers []*talk
	for range liveWatchers {
		watchers = append(watchers, r.hello("/socket?live"))
	}
	for _, k := range watchers { // until each is told what watchers are, and so is one
		var s liveSample
		for s.Peers == 0 {
			k.wantTold(&s)
		}
	}
	if resp := r.dial().upgrade("/socket?live"); resp.StatusCode != 503 {
		t.Errorf("one watcher more: %s, want 503", resp.Status)
	}
	last := r.hello("/socket")
	if resp := r.dial().upgrade("/socket"); resp.StatusCode != 503 {
		t.Errorf("one peer more: %s, want 503", resp.Status)
	}
	last.sayFrame(fin|binaries, strings.Repeat("x", liveMessage+1))
	last.wantFrame("it is too large", fin|closes, "\x03\xf1message too large: 65537 bytes, at most 65536 are taken")
}

func TestGate(t *testing.T) {
	g, now := rateLimiter{limit: 2}, time.Unix(100, 999_999_000)
	for i, want := range []bool{true, true, false, false} {
		if g.admit(now) != want {
			t.Errorf("number %d: %v", i, !want)
		}
	}
	now = now.Add(time.Microsecond)
	for i, want := range []bool{true, true, false} {
		if g.admit(now) != want {
			t.Errorf("number %d of the next second: %v", i, !want)
		}
	}
}

// TestPageSocketShown: the page has the peers of the moment, without a script, and what it uses is there.
func TestPageSocketShown(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r, tcp := startSocketServe(t, serveOptions{siteOptions: siteOptions{tls: secure}})
		k := r.hello("/socket")
		k.sayFrame(fin|binaries, "one")
		k.wantFrame("it comes back", fin|binaries, "one")
		resp, body := r.do("GET", "/socket.html")
		if csp := resp.Header.Get("Content-Security-Policy"); resp.StatusCode != 200 || !strings.HasPrefix(csp, "default-src 'none'; ") ||
			!strings.Contains(csp, "script-src 'self' 'unsafe-inline'; ") {
			t.Errorf("%s, Content-Security-Policy %q", resp.Status, csp)
		}
		scheme := map[bool]string{false: "ws", true: "wss"}[secure]
		for _, want := range []string{scheme + "://" + r.addr + "/socket", "tcp://" + tcp, "<td class=\"text\">" + scheme + "</td>",
			k.nc.LocalAddr().String(), "./streamsock.js", "new URL('/socket?live'"} {
			if !strings.Contains(body, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		for _, outside := range []string{`src="`, `href="http`, `href="/`, "@import", "url(", "ZgotmplZ"} {
			if strings.Contains(body, outside) {
				t.Errorf("the page refers to something outside of it: %s", outside)
			}
		}
		resp, body = r.do("GET", "/streamsock.js")
		if body != js.Module() || resp.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || !strings.Contains(body, "export class Socket") {
			t.Errorf("the client is %s, %s", resp.Status, resp.Header.Get("Content-Type"))
		}
		if resp, _ := r.do("POST", "/socket.html"); resp.StatusCode != 405 {
			t.Errorf("POST: %s", resp.Status)
		}
	}
	if _, body := startServe(t, serveOptions{}).do("GET", "/"); !strings.Contains(body, `<a href="socket.html">`) {
		t.Error("the first page does not lead there")
	}
}

// TestPageSocketIsLogged: an upgrade is a switched connection in the log and in the counters.
func TestPageSocketIsLogged(t *testing.T) {
	r := startServe(t, serveOptions{logFile: "-"})
	r.hello("/socket?live")
	r.do("GET", "/socket")
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		log := r.out.String()
		if strings.Contains(log, `"GET /socket?live HTTP/1.1" 101 `) && strings.Contains(log, `"GET /socket HTTP/1.1" 426 `) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the log says\n%s", log)
		}
	}
}

// TestShownAddress: of strangers the network is shown alone.
func TestShownAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80", "10.1.2.3:4": "10.1.2.3:4", "[::ffff:192.168.1.2]:3": "192.168.1.2:3",
		"[fe80::1%eth0]:5": "[fe80::1]:5", "203.0.113.77:80": "203.0.113.0/24", "[::ffff:203.0.113.77]:80": "203.0.113.0/24",
		"[2001:db8:1:2::3]:80": "2001:db8:1::/48", "@": "–",
	} {
		if got := shownAddress(textAddr(addr)); got != want {
			t.Errorf("%s is shown as %s, want %s", addr, got, want)
		}
	}
}

// textAddr is an address by its text.
type textAddr string

func (a textAddr) Network() string { return "tcp" }
func (a textAddr) String() string  { return string(a) }

func TestPeersAge(t *testing.T) {
	for seconds, want := range map[int64]string{0: "0 s", 59: "59 s", 60: "1 min", 3599: "59 min", 3600: "1 h 0 min", 90_000: "25 h 0 min"} {
		if got := (livePeer{Seconds: seconds}).Age(); got != want {
			t.Errorf("%d s are %s, want %s", seconds, got, want)
		}
	}
}

// TestPageSocketShowsSome: of many peers a hundred are told, the oldest, and how many more there are.
func TestPageSocketShowsSome(t *testing.T) {
	t.Parallel()
	r, tcp := startSocketServe(t, serveOptions{})
	for range shownPeers + 7 {
		nc, err := net.Dial("tcp", tcp)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
	}
	k := r.hello("/socket?live")
	var s liveSample
	for s.Peers != shownPeers+8 {
		s = liveSample{}
		k.wantTold(&s)
	}
	if len(s.List) != shownPeers || s.More != 8 {
		t.Errorf("%d are shown, %d more", len(s.List), s.More)
	}
	if _, body := r.do("GET", "/socket.html"); !strings.Contains(body, "and 8 more") || strings.Count(body, "<tr><td") != shownPeers {
		t.Errorf("the page shows %d", strings.Count(body, "<tr><td"))
	}
}

func TestServeSocketFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-bind tcp://h":                          "no port",
		"-bind http://h:1":                       "the scheme is not",
		"-dir . -bind tcp://h:1":                 "-bind and -max-peers are about the page's socket",
		"-proxy http://127.0.0.1:1 -max-peers 3": "-bind and -max-peers are about the page's socket",
		"-max-peers 0":                           "-max-peers wants at least 1",
	} {
		var out, err bytes.Buffer
		if code := run(append([]string{"serve"}, strings.Fields(args)...), console{out: &out, err: &err}); code != 2 {
			t.Errorf("serve %s: exit code %d", args, code)
		}
		wantText(t, "serve "+args, err.String(), want)
	}
	opt, err := parseServe([]string{"-bind", "tcp://h:1", "-bind", "wss://h:2", "-max-peers", "1k"}, console{})
	if err != nil || fmt.Sprint(opt.live.binds) != "[tcp://h:1 wss://h:2]" || opt.live.maxPeers != 1000 || !opt.live.bindsTLS() {
		t.Errorf("%+v, %v", opt, err)
	}
	if opt, _ := parseServe(nil, console{}); opt.live.maxPeers != 500 || opt.live.bindsTLS() {
		t.Errorf("without flags: %+v", opt)
	}
}

// stream opens WebSocket on a stream of HTTP/2.
func (r *running) stream(client http.RoundTripper, path string) *talk {
	r.t.Helper()
	in, out := io.Pipe()
	req, err := http.NewRequest("CONNECT", r.url+path, in)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header[":protocol"] = []string{"websocket"}
	req.Header.Set("Sec-WebSocket-Version", "13")
	resp, err := client.RoundTrip(req)
	if err != nil || resp.StatusCode != 200 {
		r.t.Fatalf("CONNECT: %v, %v", resp, err)
	}
	r.t.Cleanup(func() { out.Close(); resp.Body.Close() })
	return &talk{r.t, tunnel{Writer: out}, bufio.NewReader(resp.Body)}
}

// tunnel is a stream that a test writes to as to a connection.
type tunnel struct {
	net.Conn
	io.Writer
}

func (t tunnel) Write(p []byte) (int, error) { return t.Writer.Write(p) }

// TestPageSocketOverHTTP2: the socket's upgrade is taken on a stream (RFC 8441), as browsers ask for it there.
func TestPageSocketOverHTTP2(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		r := startServe(t, serveOptions{siteOptions: siteOptions{tls: secure}, logFile: "-"})
		client := r.extended()
		r.client.Transport = client
		r.do("GET", "/plaintext")
		s := r.stream(client, "/socket?live")
		var you struct{ You int }
		s.wantTold(&you)
		var sample liveSample
		s.wantTold(&sample)
		if transport := sample.List[0].Transport; you.You != 1 || strings.HasSuffix(transport, ", HTTP/2") != secure {
			t.Errorf("peer %d over %s", you.You, transport)
		}
		s.sayFrame(fin|closes, "\x03\xe8")
		for op := byte(0); op != fin|closes; {
			op, _ = s.hearFrame()
		}
		if resp, _ := r.do("GET", "/plaintext"); resp.StatusCode != 200 {
			t.Errorf("another stream beside it: %s", resp.Status)
		}
	}
}
