package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/clients/js"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
	"github.com/shockwave-go/shockwave/streamsock"
)

// startSocketServe starts serve with its socket on tcp, too, and returns where that is.
func startSocketServe(t *testing.T, opt Options) (r *clitest.Running, tcp string) {
	t.Helper()
	opt.live.binds = append(opt.live.binds, "tcp://127.0.0.1:0")
	r = clitest.Serve(t, opt)
	at := regexp.MustCompile(`its socket is at tcp://(\S+), too`)
	for end := time.Now().Add(clitest.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if m := at.FindStringSubmatch(r.Out.String()); m != nil {
			return r, m[1]
		}
	}
	t.Fatalf("nobody says where the socket is: %s", r.Out.String())
	return nil, ""
}

// wantTold reads binary messages until one is JSON, which it puts into v.
func wantTold(k *clitest.Talk, v any) {
	k.T.Helper()
	for {
		op, payload := k.HearFrame()
		if op != clitest.Fin|clitest.Binaries {
			k.T.Fatalf("a frame of %#x with %q", op, payload)
		}
		if strings.HasPrefix(payload, "{") {
			if err := json.Unmarshal([]byte(payload), v); err != nil {
				k.T.Fatalf("%q: %v", payload, err)
			}
			return
		}
	}
}

// Messages come back over every transport, and watchers are sent the state of all peers.
func TestPageSocket(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		r, tcp := startSocketServe(t, Options{Options: site.Options{TLS: secure}})
		nc, err := net.Dial("tcp", tcp)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(clitest.Patience))
		message := []byte("\x00\x00\x00\x06by tcp")
		nc.Write(message)
		got := make([]byte, len(message))
		if _, err := nc.Read(got); err != nil || !bytes.Equal(got, message) {
			t.Fatalf("%q came back, %v", got, err)
		}
		k := r.Hello("/socket?live")
		var you struct{ You int }
		if wantTold(k, &you); you.You != 2 {
			t.Errorf("the second peer is %d", you.You)
		}
		k.SayFrame(clitest.Fin|clitest.Binaries, "by WebSocket")
		var s liveSample
		for wantTold(k, &s); len(s.List) < 2 || s.List[1].In == 0; {
			wantTold(k, &s)
		}
		transport := map[bool]string{false: "ws", true: "wss"}[secure]
		first, second := s.List[0], s.List[1]
		if first.ID != 1 || first.Transport != "tcp" || first.Remote != nc.LocalAddr().String() || first.In != 1 || first.InBytes != 6 || first.Out != 1 {
			t.Errorf("the first peer: %+v", first)
		}
		if second.ID != 2 || second.Transport != transport || second.Remote != k.Conn.LocalAddr().String() || second.In != 1 || second.InBytes != 12 || second.Out < 2 {
			t.Errorf("the second peer: %+v", second)
		}
		if s.Peers != 2 || s.Came != 2 || s.Refused != 0 || s.In != 2 || s.InBytes != 18 || s.Out != first.Out+second.Out || s.More != 0 || s.Millis <= 0 {
			t.Errorf("all: %+v", s)
		}
		nc.Close()
		for s = (liveSample{}); s.Peers != 1; {
			s = liveSample{}
			wantTold(k, &s)
		}
		if s.In != 2 || len(s.List) != 1 || s.List[0].ID != 2 {
			t.Errorf("when the first has gone: %+v", s)
		}
		if resp, _ := r.Do("GET", "/socket"); resp.StatusCode != 426 {
			t.Errorf("without an upgrade: %s, want 426", resp.Status)
		}
		if resp := r.Dial().Upgrade("/socket", "Origin: http://elsewhere.example"); resp.StatusCode != 403 {
			t.Errorf("from a foreign page: %s, want 403", resp.Status)
		}
		r.First()
		for {
			op, payload := k.HearFrame()
			if op == clitest.Fin|clitest.Closes {
				if payload != "\x03\xe9" {
					t.Errorf("it goes away with %q", payload)
				}
				break
			}
		}
		k.SayFrame(clitest.Fin|clitest.Closes, "\x03\xe9")
		k.Conn.Close()
	}
}

// A streamsock client at /socket?live is sent the same as the page.
func TestPageSocketByItsClient(t *testing.T) {
	t.Parallel()
	r := clitest.Serve(t, Options{})
	c := streamsock.New(streamsock.Config{})
	defer c.Shutdown(t.Context())
	if _, err := c.Connect("ws://" + r.Addr + "/socket?live"); err != nil {
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

// The numbers of peers and watchers, and the size of messages, are limited.
func TestPageSocketIsBounded(t *testing.T) {
	t.Parallel()
	r := clitest.Serve(t, Options{live: liveOptions{maxPeers: liveWatchers + 1}})
	var watchers []*clitest.Talk
	for range liveWatchers {
		watchers = append(watchers, r.Hello("/socket?live"))
	}
	for _, k := range watchers { // until each is told what watchers are, and so is one
		var s liveSample
		for s.Peers == 0 {
			wantTold(k, &s)
		}
	}
	if resp := r.Dial().Upgrade("/socket?live"); resp.StatusCode != 503 {
		t.Errorf("one watcher more: %s, want 503", resp.Status)
	}
	last := r.Hello("/socket")
	if resp := r.Dial().Upgrade("/socket"); resp.StatusCode != 503 {
		t.Errorf("one peer more: %s, want 503", resp.Status)
	}
	last.SayFrame(clitest.Fin|clitest.Binaries, strings.Repeat("x", liveMessage+1))
	last.WantFrame("it is too large", clitest.Fin|clitest.Closes, "\x03\xf1message too large: 65537 bytes, at most 65536 are taken")
}

// A rate limiter allows so many events in each second.
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

// The socket's page shows the peers without a script, and everything that it uses is there.
func TestPageSocketShown(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r, tcp := startSocketServe(t, Options{Options: site.Options{TLS: secure}})
		k := r.Hello("/socket")
		k.SayFrame(clitest.Fin|clitest.Binaries, "one")
		k.WantFrame("it comes back", clitest.Fin|clitest.Binaries, "one")
		resp, body := r.Do("GET", "/socket.html")
		if csp := resp.Header.Get("Content-Security-Policy"); resp.StatusCode != 200 || !strings.HasPrefix(csp, "default-src 'none'; ") ||
			!strings.Contains(csp, "script-src 'self' 'unsafe-inline'; ") {
			t.Errorf("%s, Content-Security-Policy %q", resp.Status, csp)
		}
		scheme := map[bool]string{false: "ws", true: "wss"}[secure]
		for _, want := range []string{scheme + "://" + r.Addr + "/socket", "tcp://" + tcp, "<td class=\"text\">" + scheme + "</td>",
			k.Conn.LocalAddr().String(), "./streamsock.js", "new URL('/socket?live'"} {
			if !strings.Contains(body, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		for _, outside := range []string{`src="`, `href="http`, `href="/`, "@import", "url(", "ZgotmplZ"} {
			if strings.Contains(body, outside) {
				t.Errorf("the page refers to something outside of it: %s", outside)
			}
		}
		resp, body = r.Do("GET", "/streamsock.js")
		if body != js.Module() || resp.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || !strings.Contains(body, "export class Socket") {
			t.Errorf("the client is %s, %s", resp.Status, resp.Header.Get("Content-Type"))
		}
		if resp, _ := r.Do("POST", "/socket.html"); resp.StatusCode != 405 {
			t.Errorf("POST: %s", resp.Status)
		}
	}
	if _, body := clitest.Serve(t, Options{}).Do("GET", "/"); !strings.Contains(body, `<a href="socket.html">`) {
		t.Error("the first page does not lead there")
	}
}

// An upgrade is a switched connection in the log and in the counters.
func TestPageSocketIsLogged(t *testing.T) {
	r := clitest.Serve(t, Options{logFile: "-"})
	r.Hello("/socket?live")
	r.Do("GET", "/socket")
	for end := time.Now().Add(clitest.Patience); ; time.Sleep(time.Millisecond) {
		log := r.Out.String()
		if strings.Contains(log, `"GET /socket?live HTTP/1.1" 101 `) && strings.Contains(log, `"GET /socket HTTP/1.1" 426 `) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the log says\n%s", log)
		}
	}
}

// Of a public address only the network is shown.
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

func (a textAddr) String() string { return string(a) }

// A peer's age is shown in the largest fitting unit.
func TestPeersAge(t *testing.T) {
	for seconds, want := range map[int64]string{0: "0 s", 59: "59 s", 60: "1 min", 3599: "59 min", 3600: "1 h 0 min", 90_000: "25 h 0 min"} {
		if got := (livePeer{Seconds: seconds}).Age(); got != want {
			t.Errorf("%d s are %s, want %s", seconds, got, want)
		}
	}
}

// Of many peers the hundred oldest are shown, and how many more there are.
func TestPageSocketShowsSome(t *testing.T) {
	t.Parallel()
	r, tcp := startSocketServe(t, Options{})
	for range shownPeers + 7 {
		nc, err := net.Dial("tcp", tcp)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
	}
	k := r.Hello("/socket?live")
	var s liveSample
	for s.Peers != shownPeers+8 {
		s = liveSample{}
		wantTold(k, &s)
	}
	if len(s.List) != shownPeers || s.More != 8 {
		t.Errorf("%d are shown, %d more", len(s.List), s.More)
	}
	if _, body := r.Do("GET", "/socket.html"); !strings.Contains(body, "and 8 more") || strings.Count(body, "<tr><td") != shownPeers {
		t.Errorf("the page shows %d", strings.Count(body, "<tr><td"))
	}
}

// The flags of the socket are checked.
func TestServeSocketFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-bind tcp://h":                          "no port",
		"-bind http://h:1":                       "the scheme is not",
		"-dir . -bind tcp://h:1":                 "-bind and -max-peers are about the page's socket",
		"-proxy http://127.0.0.1:1 -max-peers 3": "-bind and -max-peers are about the page's socket",
		"-max-peers 0":                           "-max-peers wants at least 1",
	} {
		var out, err bytes.Buffer
		if code := program(append([]string{"serve"}, strings.Fields(args)...), cli.Console{Out: &out, Err: &err}); code != 2 {
			t.Errorf("serve %s: exit code %d", args, code)
		}
		clitest.WantText(t, "serve "+args, err.String(), want)
	}
	opt, err := parse([]string{"-bind", "tcp://h:1", "-bind", "wss://h:2", "-max-peers", "1k"}, cli.Console{})
	if err != nil || fmt.Sprint(opt.live.binds) != "[tcp://h:1 wss://h:2]" || opt.live.maxPeers != 1000 || !opt.live.bindsTLS() {
		t.Errorf("%+v, %v", opt, err)
	}
	if opt, _ := parse(nil, cli.Console{}); opt.live.maxPeers != 500 || opt.live.bindsTLS() {
		t.Errorf("without flags: %+v", opt)
	}
}

// The socket accepts WebSocket on a stream of HTTP/2 (RFC 8441).
func TestPageSocketOverHTTP2(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		r := clitest.Serve(t, Options{Options: site.Options{TLS: secure}, logFile: "-"})
		client := r.Extended()
		r.Client.Transport = client
		r.Do("GET", "/plaintext")
		s := r.Stream(client, "/socket?live")
		var you struct{ You int }
		wantTold(s, &you)
		var sample liveSample
		wantTold(s, &sample)
		if transport := sample.List[0].Transport; you.You != 1 || strings.HasSuffix(transport, ", HTTP/2") != secure {
			t.Errorf("peer %d over %s", you.You, transport)
		}
		s.SayFrame(clitest.Fin|clitest.Closes, "\x03\xe8")
		for op := byte(0); op != clitest.Fin|clitest.Closes; {
			op, _ = s.HearFrame()
		}
		if resp, _ := r.Do("GET", "/plaintext"); resp.StatusCode != 200 {
			t.Errorf("another stream beside it: %s", resp.Status)
		}
	}
}
