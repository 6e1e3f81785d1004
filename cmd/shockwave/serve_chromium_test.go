package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/websocket"
)

// tab is a page in Chromium that a test talks to by the browser's protocol for developers.
type tab struct {
	t      *testing.T
	c      *websocket.Conn
	calls  int
	faults []string // what the browser has against the page
}

// browse opens a page in Chromium, which is given flags, too. The test is skipped where there is none.
func browse(t *testing.T, url string, flags ...string) *tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium on this machine to show the page to")
	}
	cmd := exec.Command(path, append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--ignore-certificate-errors", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", "about:blank")...)
	said, in := io.Pipe()
	cmd.Stderr, cmd.WaitDelay = in, time.Second // for children that hold on to it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at, heard := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(heard)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if m := regexp.MustCompile(`ws://([^/]+)/`).FindStringSubmatch(lines.Text()); m != nil {
				at <- m[1]
				break
			}
		}
		io.Copy(io.Discard, said)
	}()
	t.Cleanup(func() {
		stuck := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait() // closing the tab has told it to end
		stuck.Stop()
		in.Close()
		<-heard
	})
	select {
	case host := <-at:
		return openTab(t, host, url)
	case <-time.After(patience):
		t.Fatal("Chromium does not say where it listens")
		return nil
	}
}

// openTab has the browser that listens at host show url.
func openTab(t *testing.T, host, url string) *tab {
	t.Helper()
	resp, err := http.Get("http://" + host + "/json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var pages []struct {
		Type string
		URL  string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&pages); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Type != "page" {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		c, _, err := websocket.Dial(ctx, p.URL, websocket.Config{ReadLimit: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		b := &tab{t: t, c: c}
		t.Cleanup(func() {
			c.WriteMessage(websocket.TextMessage, []byte(`{"id":0,"method":"Browser.close"}`))
			c.Close(websocket.CloseNormal, "")
			c.CloseNow()
		})
		for _, domain := range []string{"Runtime", "Log", "Page"} {
			b.call(domain+".enable", nil)
		}
		b.call("Page.navigate", map[string]any{"url": url})
		return b
	}
	t.Fatalf("no page among %+v", pages)
	return nil
}

// call asks the browser to do something, and returns the answer.
func (b *tab) call(method string, params any) json.RawMessage {
	b.t.Helper()
	b.calls++
	ask, _ := json.Marshal(map[string]any{"id": b.calls, "method": method, "params": params})
	b.c.SetReadDeadline(time.Now().Add(patience))
	if err := b.c.WriteMessage(websocket.TextMessage, ask); err != nil {
		b.t.Fatal(err)
	}
	for {
		_, said, err := b.c.ReadMessage()
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
		}
		if err := json.Unmarshal(said, &m); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case m.ID == b.calls:
			return m.Result
		case m.Method == "Log.entryAdded", m.Method == "Runtime.exceptionThrown", m.Method == "Runtime.consoleAPICalled":
			b.faults = append(b.faults, string(said))
		}
	}
}

// value is an expression's, which is a string.
func (b *tab) value(expression string) string {
	b.t.Helper()
	var answer struct{ Result struct{ Value string } }
	json.Unmarshal(b.call("Runtime.evaluate", map[string]any{"expression": expression}), &answer)
	return answer.Result.Value
}

// wantValue waits until an expression's value is like a pattern.
func (b *tab) wantValue(expression, pattern string) {
	b.t.Helper()
	like, got := regexp.MustCompile(pattern), ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = b.value(expression); like.MatchString(got) {
			return
		}
	}
	b.t.Fatalf("%s is %q, want %s; the browser says %q", expression, got, pattern, b.faults)
}

// TestPageSocketInChromium: the page takes part in the socket and shows it, goes on when the server has been away, and the
// browser has nothing against it, the policy of its contents above all.
func TestPageSocketInChromium(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		r, tcp := startSocketServe(t, serveOptions{siteOptions: siteOptions{tls: secure}})
		b := browse(t, r.url+"/socket.html")
		b.wantValue("document.getElementById('state').textContent", "^live$")
		b.wantValue("document.getElementById('trip').textContent", ` ms$`)
		transport := map[bool]string{false: "ws", true: "wss, HTTP/2"}[secure]
		b.wantValue("document.getElementById('list').innerText", `^1\s+`+transport+`\s+127\.0\.0\.1:\d+this page\s+\d+ s\s+\d+\s+[\d.]+\s+[\d.]+ B\s+\d+\s+[\d.]+\s+[\d.]+ k?B\s+0\s+0\s*$`)
		var told buffer
		if err := bench([]string{"-c", "3", "-n", "400", "tcp://" + tcp}, console{out: &told, err: &told}); err != nil {
			t.Fatal(err)
		}
		wantText(t, "bench", told.String(), "400 echoed as they were sent")
		b.wantValue("document.getElementById('came').textContent", "^4$")
		b.wantValue("document.getElementById('peers').textContent", "^1$")
		b.value("document.getElementById('burst').click(), ''")
		b.wantValue("document.getElementById('back').textContent", `^1,000 came back within [\d.]+ ms$`)
		b.wantValue("document.getElementById('in').textContent", `^1,[4-9]\d\d$`)
		b.wantValue("document.querySelector('#rates path.wave').getAttribute('d')", `^M.*L`)
		if len(b.faults) > 0 {
			t.Errorf("the browser says %s", strings.Join(b.faults, "\n"))
		}
		r.first()
		b.wantValue("document.getElementById('state').textContent", "^the socket does not answer")
	}
}

// overHTTP3InChromium are the flags by which Chromium asks r by HTTP/3 and takes its certificate: over QUIC it wants to know it.
func (r *running) overHTTP3InChromium() []string {
	nc, err := tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		r.t.Fatal(err)
	}
	defer nc.Close()
	key := sha256.Sum256(nc.ConnectionState().PeerCertificates[0].RawSubjectPublicKeyInfo)
	return []string{"--origin-to-force-quic-on=" + r.addr, "--ignore-certificate-errors-spki-list=" + base64.StdEncoding.EncodeToString(key[:])}
}

// TestChromiumOverHTTP3: pages, many requests at once, bodies both ways and requests that are given up.
func TestChromiumOverHTTP3(t *testing.T) {
	t.Parallel()
	for _, native := range []bool{false, true} {
		r := start(t, echoOptions{native: native, siteOptions: everywhere})
		b := browse(t, r.url+"/", r.overHTTP3InChromium()...)
		b.wantValue("performance.getEntriesByType('navigation')[0].nextHopProtocol", "^h3$")
		b.value(`(async () => {
			const texts = await Promise.all(Array.from({length: 300}, (_, i) => fetch('/plaintext?' + i).then(r => r.text())));
			const greeted = texts.filter(t => t === 'Hello, World!').length;
			const sent = 'abc'.repeat(100_000);
			const echoed = (await (await fetch('/echo', {method: 'POST', body: sent})).text()).endsWith('\n\n' + sent);
			const big = (await (await fetch('/big?n=5000000')).blob()).size;
			const stop = new AbortController();
			setTimeout(() => stop.abort(), 50);
			const given = await fetch('/sleep?ms=60000', {signal: stop.signal}).catch(e => e.name);
			const protocols = new Set(performance.getEntriesByType('resource').map(e => e.nextHopProtocol).filter(p => p));
			window.told = [greeted, echoed, big, given, ...protocols].join(' ');
		})().catch(e => { window.told = String(e) }), ''`)
		b.wantValue("String(window.told)", "^300 true 5000000 AbortError h3$")
	}
}
