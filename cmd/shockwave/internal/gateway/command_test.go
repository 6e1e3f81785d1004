//go:build unix

package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/websocket"
)

// gatewayProcess is the program as a gateway.
type gatewayProcess struct {
	t    *testing.T
	cmd  *exec.Cmd
	urls []string // where it listens
	out  clitest.Buffer
}

// runGatewayProcess runs a gateway until it has said where it listens, in so many places.
func runGatewayProcess(t *testing.T, places int, args ...string) *gatewayProcess {
	t.Helper()
	p := &gatewayProcess{t: t, cmd: clitest.ProgramCommand(t, append([]string{"gateway"}, args...)...)}
	p.cmd.Stdout = &p.out
	said, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(2*clitest.Patience, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() {
		stuck.Stop()
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	lines := bufio.NewReader(said)
	for range places {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		url, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "listening on "), ",")
		p.urls = append(p.urls, url)
	}
	go io.Copy(os.Stderr, lines)
	return p
}

// wantExit wants the program to end with code.
func (p *gatewayProcess) wantExit(code int) {
	p.t.Helper()
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("the program ended with %v, want exit code %d", p.cmd.ProcessState, code)
	}
}

// wantDeaf wants the program to listen no longer.
func (p *gatewayProcess) wantDeaf() {
	p.t.Helper()
	for end := time.Now().Add(clitest.Patience); time.Now().Before(end); {
		nc, err := net.Dial("tcp", strings.TrimPrefix(p.urls[0], "ws://"))
		if err != nil {
			return
		}
		nc.Close()
	}
	p.t.Fatal("it listens still")
}

func (p *gatewayProcess) dial(url string, cfg *tls.Config) *websocket.Conn {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), clitest.Patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, websocket.Config{TLSConfig: cfg})
	if err != nil {
		p.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(clitest.Patience))
	p.t.Cleanup(func() { c.CloseNow() })
	return c
}

// exchangeBoth has the peer and the service say something to each other.
func exchangeBoth(t *testing.T, c *websocket.Conn, service net.Conn) {
	t.Helper()
	service.SetDeadline(time.Now().Add(clitest.Patience))
	if err := c.WriteMessage(websocket.BinaryMessage, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 9)
	if _, err := io.ReadFull(service, got); err != nil || string(got) != "\x00\x00\x00\x05hello" {
		t.Fatalf("the service got %q, %v", got, err)
	}
	io.WriteString(service, "\x00\x00\x00\x03you")
	if _, b, err := c.ReadMessage(); err != nil || string(b) != "you" {
		t.Fatalf("the peer got %q, %v", b, err)
	}
}

func acceptOne(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return nc
}

// Several listeners and paths work at once, with certificates from files, over tcp and tls, and are logged.
func TestGateway(t *testing.T) {
	t.Parallel()
	cert, key, _ := clitest.CertificateFiles(t)
	plain, secure := clitest.Localhost(t, "127.0.0.1:0"), clitest.Localhost(t, "127.0.0.1:0")
	p := runGatewayProcess(t, 2, "-listen", "ws://127.0.0.1:0", "-listen", "wss://127.0.0.1:0", "-cert", cert, "-key", key, "-ca", cert,
		"-to", "/plain=tcp://"+plain.Addr().String(), "-to", "/secure=tls://"+secure.Addr().String(), "-linger", "20s")
	pem, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	trusted := &tls.Config{RootCAs: x509.NewCertPool()}
	trusted.RootCAs.AppendCertsFromPEM(pem)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	a := p.dial(p.urls[0]+"/plain", nil)
	open := acceptOne(t, plain)
	exchangeBoth(t, a, open)
	b := p.dial(p.urls[1]+"/secure?token=a", trusted)
	service := tls.Server(acceptOne(t, secure), &tls.Config{Certificates: []tls.Certificate{pair}})
	exchangeBoth(t, b, service)
	service.CloseWrite()
	if _, _, err := b.ReadMessage(); websocket.CloseStatus(err) != websocket.CloseNormal {
		t.Errorf("the service has ended: %v", err)
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	if _, _, err := a.ReadMessage(); websocket.CloseStatus(err) != websocket.CloseGoingAway {
		t.Errorf("the gateway ends: %v", err)
	}
	open.Close()
	p.wantExit(0)
	for _, want := range []string{
		`(?m)^127\.0\.0\.1 - - \[[^]]+\] "GET /plain HTTP/1\.1" 101 3 "-" "[^"]*" \d+\.\d{6} origin="-" to=tcp://127\.0\.0\.1:\d+ in=5 out=3 by=gateway end=local code=1001 text="-"$`,
		`(?m)^127\.0\.0\.1 - - \[[^]]+\] "GET /secure\?token=a HTTP/1\.1" 101 3 .* to=tls://127\.0\.0\.1:\d+ in=5 out=3 by=service end=eof code=1000 text="-"$`,
	} {
		if !regexp.MustCompile(want).MatchString(p.out.String()) {
			t.Errorf("the log has\n%s, want %s", p.out.String(), want)
		}
	}
}

// The log goes to the named file, refused requests included.
func TestGatewayLogFile(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/log"
	p := runGatewayProcess(t, 1, "-listen", "ws://127.0.0.1:0", "-to", "/a=tcp://127.0.0.1:1", "-log", file)
	c := p.dial(p.urls[0]+"/a", nil)
	if _, _, err := c.ReadMessage(); websocket.CloseStatus(err) != websocket.CloseTryAgainLater {
		t.Errorf("nobody listens there: %v", err)
	}
	if _, _, err := websocket.Dial(context.Background(), p.urls[0]+"/b", websocket.Config{}); err == nil {
		t.Error("a path that is not named is upgraded")
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.wantExit(0)
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"GET /b HTTP/1.1" 404 - `, ` by=service end=down code=1013 text="the service is down" error="dial tcp`} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the log has\n%s, want %s", log, want)
		}
	}
	if p.out.String() != "" {
		t.Errorf("standard output has %q", p.out.String())
	}
}

// A peer that does not take everything within -linger is cut off, which is a failure; a second signal ends the program
// at once.
func TestGatewayEnds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		linger  string
		signals int
	}{{"200ms", 1}, {"1h", 2}} {
		service := clitest.Localhost(t, "127.0.0.1:0")
		p := runGatewayProcess(t, 1, "-listen", "ws://127.0.0.1:0", "-to", "/=tcp://"+service.Addr().String(), "-linger", tc.linger)
		c := p.dial(p.urls[0]+"/", nil)
		nc := acceptOne(t, service)
		exchangeBoth(t, c, nc)
		full := make(chan struct{})
		go func() { // the peer reads nothing of that
			defer close(full)
			msg := append([]byte{0, 1, 0, 0}, make([]byte, 1<<16)...)
			for {
				nc.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
				if _, err := nc.Write(msg); err != nil {
					return
				}
			}
		}()
		<-full
		p.cmd.Process.Signal(syscall.SIGTERM)
		if tc.signals == 2 {
			p.wantDeaf() // two signals at once are one
			p.cmd.Process.Signal(syscall.SIGTERM)
		}
		p.wantExit(1)
	}
}
