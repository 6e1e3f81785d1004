//go:build unix

// Package examples_test builds every example, talks to it, and stops it as its user would.
package examples_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/websocket"
)

// patience bounds every wait for another process; it decides nothing when things work.
const patience = time.Minute

// bin is where TestMain put the programs.
var bin string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "examples")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	if signal.Ignored(os.Interrupt) { // as a shell's background jobs are started
		signal.Notify(make(chan os.Signal, 1), os.Interrupt) // so that the programs do not inherit it
	}
	if out, err := exec.Command("go", "build", "-o", dir, "./...").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// program is an example that runs.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  chan string // of its standard output
	url    string
	client *http.Client
}

// start runs the example called name on a free port and waits until it listens.
func start(t *testing.T, name string, args ...string) *program {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, name), append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	p := &program{t: t, cmd: cmd, lines: make(chan string, 64), client: &http.Client{Transport: transport, Timeout: patience}}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cmd.Process.Kill() // only has an effect if the test did not get as far as interrupt
		cmd.Wait()
	})
	url, ok := strings.CutPrefix(p.line(), "listening on ")
	if !ok {
		t.Fatalf("%s did not say where it listens", name)
	}
	p.url = strings.TrimSuffix(url, "/")
	return p
}

// line returns the next line that the program prints, "" when it has ended.
func (p *program) line() string {
	p.t.Helper()
	select {
	case s := <-p.lines:
		return s
	case <-time.After(patience):
		p.t.Fatal("the program does not print what it should")
		return ""
	}
}

// get asks for path and returns the response and its whole body.
func (p *program) get(path string) (*http.Response, string) {
	p.t.Helper()
	resp, err := p.client.Get(p.url + path)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp, p.body(resp)
}

func (p *program) body(resp *http.Response) string {
	p.t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// wantBody asks for path and wants 200 and this body.
func (p *program) wantBody(path, want string) {
	p.t.Helper()
	if resp, body := p.get(path); resp.StatusCode != 200 || body != want {
		p.t.Errorf("GET %s: %s %q, want 200 %q", path, resp.Status, body, want)
	}
}

// interrupt sends SIGINT and waits for the end. Programs that do not catch the signal die of it.
func (p *program) interrupt(caught bool) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	stuck := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	defer stuck.Stop()
	for range p.lines {
	}
	p.cmd.Wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if caught && p.cmd.ProcessState.ExitCode() != 0 {
		p.t.Errorf("the program ended with %v, want exit code 0", p.cmd.ProcessState)
	}
	if !caught && status.Signal() != syscall.SIGINT {
		p.t.Errorf("the program ended with %v, want the interrupt", p.cmd.ProcessState)
	}
}

func TestHelloNetHTTP(t *testing.T) {
	p := start(t, "hello-nethttp")
	p.wantBody("/", "Hello, World!\n")
	p.wantBody("/hello/gopher", "Hello, gopher!\n")
	p.interrupt(false)
}

func TestHelloNative(t *testing.T) {
	p := start(t, "hello-native")
	p.wantBody("/", "Hello, World!\n")
	p.wantBody("/agent", "Go-http-client/1.1")
	if resp, _ := p.get("/elsewhere"); resp.StatusCode != 404 {
		t.Errorf("GET /elsewhere: %s, want 404", resp.Status)
	}
	p.interrupt(false)
}

func TestUpload(t *testing.T) {
	p := start(t, "upload")
	const size = 40 << 20 // more than the server's default limit
	sum := sha256.New()
	resp, err := p.client.Post(p.url, "application/octet-stream", io.TeeReader(io.LimitReader(zeros{}, size), sum))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x  %d bytes\n", sum.Sum(nil), size)
	if got := p.body(resp); got != want {
		t.Errorf("POST: %s %q, want %q", resp.Status, got, want)
	}
	if resp, _ := p.get("/"); resp.StatusCode != 405 || resp.Header.Get("Allow") != "POST, PUT" {
		t.Errorf("GET: %s, Allow %q, want 405 and POST, PUT", resp.Status, resp.Header.Get("Allow"))
	}
	p.interrupt(false)
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestSSE(t *testing.T) {
	p := start(t, "sse", "-every", "10ms")
	resp, err := p.client.Get(p.url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if ct := resp.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Errorf("Content-Type %q", ct)
	}
	events := bufio.NewReader(resp.Body)
	for _, want := range []string{"id: 1\n", "data: ", "\n", "id: 2\n", "data: ", "\n", "id: 3\n"} {
		line, err := events.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, want) {
			t.Fatalf("got line %q, %v; want %q", line, err, want)
		}
	}
	p.interrupt(false)
}

func TestStaticFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"in": "a.txt", "out": "/etc/passwd", "up": "..", "nowhere": "missing"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, "static-files", "-dir", dir)
	p.wantBody("/a.txt", "0123456789")
	p.wantBody("/in", "0123456789")

	req, _ := http.NewRequest("GET", p.url+"/a.txt", nil)
	req.Header.Set("Range", "bytes=2-4")
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if body := p.body(resp); resp.StatusCode != 206 || body != "234" {
		t.Errorf("bytes=2-4: %s %q, want 206 234", resp.Status, body)
	}
	for _, path := range []string{"/out", "/up", "/up/", "/up/" + filepath.Base(dir) + "/a.txt", "/nowhere", "/missing"} {
		if resp, body := p.get(path); resp.StatusCode != 404 {
			t.Errorf("GET %s: %s %q, want 404", path, resp.Status, body)
		}
	}
	p.interrupt(false)
}

func TestReverseProxy(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s at %s for %s", r.URL, r.Host, r.Header.Get("X-Forwarded-For"))
	}))
	defer behind.Close()
	p := start(t, "reverse-proxy", "-to", behind.URL)
	p.wantBody("/where?q=1", "/where?q=1 at "+strings.TrimPrefix(p.url, "http://")+" for 127.0.0.1")
	p.interrupt(false)
}

// A page that came through the proxy may open a WebSocket through it.
func TestReverseProxyKeepsOrigins(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := websocket.Accept(w, r, websocket.Config{}); err == nil {
			c.WriteMessage(websocket.TextMessage, []byte("come in"))
			c.ReadMessage()
			c.CloseNow()
		}
	}))
	defer behind.Close()
	p := start(t, "reverse-proxy", "-to", behind.URL)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	own := http.Header{"Origin": {p.url}}
	c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(p.url, "http")+"/ws", websocket.Config{Header: own})
	if err != nil {
		t.Fatal(err)
	}
	if _, m, err := c.ReadMessageContext(ctx); string(m) != "come in" {
		t.Errorf("through the proxy: %q, %v", m, err)
	}
	c.CloseNow()
	p.interrupt(false)
}

func TestTLS(t *testing.T) {
	p := start(t, "tls")
	resp, body := p.get("/")
	if !strings.HasPrefix(body, "TLS 1.3 with TLS_") || resp.TLS.Version != tls.VersionTLS13 {
		t.Errorf("GET: %s %q over %s", resp.Status, body, tls.VersionName(resp.TLS.Version))
	}
	p.interrupt(false)
}

func TestHTTP2(t *testing.T) {
	p := start(t, "http2")
	p.wantBody("/", "GET over HTTP/1.1\n")
	one := p.client.Transport
	both := new(http.Protocols)
	both.SetUnencryptedHTTP2(true)
	two := &http.Transport{Protocols: both}
	p.client.Transport = two
	p.wantBody("/", "GET over HTTP/2.0\n")
	two.CloseIdleConnections()
	p.interrupt(false)

	p = start(t, "http2", "-only")
	p.client.Transport = two
	p.wantBody("/", "GET over HTTP/2.0\n")
	two.CloseIdleConnections()
	p.client.Transport = one
	if resp, err := p.client.Get(p.url); err == nil {
		t.Errorf("over HTTP/1.1: %s", resp.Status)
	}
	p.interrupt(false)
}

func TestGracefulShutdown(t *testing.T) {
	p := start(t, "graceful-shutdown", "-work", "300ms")
	answered := make(chan string, 1)
	go func() {
		resp, err := p.client.Get(p.url)
		if err != nil {
			answered <- err.Error()
			return
		}
		answered <- p.body(resp)
	}()
	if got := p.line(); got != "working" {
		t.Fatalf("the program said %q, want working", got)
	}
	p.interrupt(true)
	if got := <-answered; got != "done, in peace\n" {
		t.Errorf("the request in flight got %q", got)
	}
}

func TestHijack(t *testing.T) {
	p := start(t, "hijack")
	if resp, _ := p.get("/"); resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("without Upgrade: %s, want 426", resp.Status)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	// The first line travels in one segment with the head.
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: loud\r\n\r\nhello\n")
	br := bufio.NewReader(conn)
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrade: %v, %v", resp, err)
	}
	for _, want := range []string{"HELLO\n", "AGAIN\n"} {
		if got, err := br.ReadString('\n'); got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
		fmt.Fprint(conn, "again\n")
	}
	p.interrupt(false)
}
