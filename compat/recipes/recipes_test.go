//go:build unix

package recipes

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { both.Main(m) }

// tries is how each section of the page is tried.
var tries = map[string]func(*testing.T){
	"gin":  func(t *testing.T) { tryAt8080(t, "gin", "/hello/you", "Hello, you!\n") },
	"echo": func(t *testing.T) { tryAt8080(t, "echo", "/hello/you", "Hello, you!\n") },
	"chi":  func(t *testing.T) { tryAt8080(t, "chi", "/hello/you", "Hello, you!\n") },
	"A library that has its own http.Server": func(t *testing.T) {
		end := tryAt8080(t, "A library that has its own http.Server", "/", "Hello from a library!\n")
		if err := end(syscall.SIGTERM); err != nil {
			t.Errorf("after SIGTERM: %v, want exit code 0", err)
		}
	},
	"Code that asserts http.DefaultTransport": tryDefaultTransport,
	"A socket from systemd":                   trySystemd,
	"Certificates by themselves: autocert":    tryAutocert,
}

// The programs of docs/recipes.md compile, run and respond.
func TestRecipes(t *testing.T) {
	t.Parallel()
	if here, there := slices.Sorted(maps.Keys(tries)), slices.Sorted(maps.Keys(programs(t))); !slices.Equal(here, there) {
		t.Errorf("tried are the programs of %q, the page has %q", here, there)
	}
	for section, try := range tries {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			try(t)
		})
	}
}

// tryAt8080 runs a program that listens on :8080, and wants a response. It returns how to end the program early.
func tryAt8080(t *testing.T, section, path, want string) (end func(os.Signal) error) {
	addr := freeAddr(t)
	end = run(t, exec.Command(build(t, section, `":8080"`, strconv.Quote(addr))))
	wantResponse(t, http.DefaultTransport, "http://"+addr+path, want)
	return end
}

// The program's requests go over ours, which refuses a folded line that net/http's Transport takes.
func tryDefaultTransport(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fields := make(chan string, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			http.ReadRequest(bufio.NewReader(c))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n"+<-fields+"\r\nhello")
			c.Close()
		}
	}()
	path := build(t, "Code that asserts http.DefaultTransport", "127.0.0.1:8080", l.Addr().String())
	fields <- "X: y\r\n"
	if out, err := exec.Command(path).CombinedOutput(); string(out) != "hello" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	fields <- "X: y\r\n z\r\n"
	if out, err := exec.Command(path).CombinedOutput(); err == nil {
		t.Errorf("a folded line was taken: got %q", out)
	}
}

// The program is given a socket as systemd does it: as descriptor 3, and with the number of its own process.
func trySystemd(t *testing.T) {
	path := build(t, "A socket from systemd")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	if out, err := exec.Command(path).CombinedOutput(); err == nil {
		t.Errorf("without a socket the program ended well, and said %s", out)
	}
	cmd := exec.Command("/bin/sh", "-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0"`, path)
	cmd.ExtraFiles = []*os.File{f}
	run(t, cmd)
	wantResponse(t, http.DefaultTransport, "http://"+l.Addr().String(), "Hello from a socket of systemd!\n")
}

// The manager finds a certificate of example.org in its cache, so that nobody asks an authority.
func tryAutocert(t *testing.T) {
	plain, secure := freeAddr(t), freeAddr(t)
	path := build(t, "Certificates by themselves: autocert", `":80"`, strconv.Quote(plain), `":443"`, strconv.Quote(secure))
	cmd := exec.Command(path)
	cmd.Dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(cmd.Dir, "certificates"), 0o700); err != nil {
		t.Fatal(err)
	}
	file, roots := certificate(t, "example.org")
	if err := os.WriteFile(filepath.Join(cmd.Dir, "certificates", "example.org"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, cmd)

	client := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, secure)
		},
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true,
	}
	defer client.CloseIdleConnections()
	wantResponseOver(t, client, "HTTP/2.0", "https://example.org/", "Hello from example.org!\n")

	ask := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp := response(t, ask, "http://"+plain+"/page")
	resp.Body.Close()
	if resp.StatusCode != http.StatusFound {
		t.Errorf("on port 80: %s, want a redirect", resp.Status)
	}

	if _, err := tls.Dial("tcp", secure, &tls.Config{ServerName: "example.net", RootCAs: roots}); err == nil {
		t.Error("a name that is not on the list got a certificate")
	}
}

// freeAddr is a loopback address that nobody listens on, and nobody else looks for.
func freeAddr(t *testing.T) string {
	t.Helper()
	host := "127.0.0.1"
	if other := net.IPv4(127, byte(1+rand.IntN(250)), byte(rand.IntN(250)), byte(1+rand.IntN(250))).String(); listens(other) {
		host = other // not every system has more than one
	}
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func listens(host string) bool {
	l, err := net.Listen("tcp", host+":0")
	if err == nil {
		l.Close()
	}
	return err == nil
}

// run starts a program, which is killed when the test ends, and returns how to end it before that.
func run(t *testing.T, cmd *exec.Cmd) (end func(os.Signal) error) {
	t.Helper()
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return func(s os.Signal) error {
		if err := cmd.Process.Signal(s); err != nil {
			return err
		}
		stuck := time.AfterFunc(both.Patience, func() { cmd.Process.Kill() })
		defer stuck.Stop()
		return cmd.Wait()
	}
}

// wantResponse asks until somebody listens, and wants 200 and this body, over HTTP/1.1.
func wantResponse(t *testing.T, rt http.RoundTripper, url, want string) {
	t.Helper()
	wantResponseOver(t, rt, "HTTP/1.1", url, want)
}

func wantResponseOver(t *testing.T, rt http.RoundTripper, proto, url, want string) {
	t.Helper()
	resp := response(t, &http.Client{Transport: rt}, url)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || string(body) != want || resp.Proto != proto {
		t.Errorf("%s: %s %s %q, %v; want %q", url, resp.Proto, resp.Status, body, err, want)
	}
}

// response asks until there is a response: the program may have to start first.
func response(t *testing.T, c *http.Client, url string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
	t.Cleanup(cancel)
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Close = true
		resp, err := c.Do(req)
		if err == nil {
			return resp
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
