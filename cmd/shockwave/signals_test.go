//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is the built program.
type process struct {
	cmd  *exec.Cmd
	out  *bufio.Reader
	addr string
}

// launch builds the program and runs it until it says where it listens.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "shockwave")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	p := &process{cmd: exec.Command(bin, args...)}
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(2*patience, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() {
		stuck.Stop()
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	p.out = bufio.NewReader(out)
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, url, _ := strings.Cut(line, "://")
	p.addr, _, _ = strings.Cut(url, "/")
	return p
}

// wantExit wants the program to end with code.
func (p *process) wantExit(t *testing.T, code int) {
	t.Helper()
	io.Copy(io.Discard, p.out)
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("the program ended with %v, want exit code %d", p.cmd.ProcessState, code)
	}
}

// begin starts a request that is in the handler's hands when begin returns.
func (p *process) begin(t *testing.T) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	nc.SetDeadline(time.Now().Add(patience))
	fmt.Fprint(nc, "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
	want := "HTTP/1.1 100 Continue\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(nc, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v; want 100", got, err)
	}
	return nc
}

func TestSignalsStopTheProgram(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := launch(t, "echo", "-addr", "127.0.0.1:0")
		nc := p.begin(t)
		defer nc.Close()
		p.cmd.Process.Signal(sig)
		// The port is closed before the request ends: the signal has arrived.
		for err := error(nil); err == nil; time.Sleep(time.Millisecond) {
			var probe net.Conn
			if probe, err = net.Dial("tcp", p.addr); err == nil {
				probe.Close()
			}
		}
		fmt.Fprint(nc, "hello")
		resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Errorf("%v: the request in flight got %v, %v", sig, resp, err)
		}
		p.wantExit(t, 0)
	}
}

func TestSecondSignalEndsTheProgramAtOnce(t *testing.T) {
	p := launch(t, "serve", "-addr", "127.0.0.1:0", "-proxy", silentService(t))
	nc, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	fmt.Fprint(nc, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	<-asked
	p.cmd.Process.Signal(os.Interrupt)
	for err := error(nil); err == nil; time.Sleep(time.Millisecond) {
		var probe net.Conn
		if probe, err = net.Dial("tcp", p.addr); err == nil {
			probe.Close()
		}
	}
	p.cmd.Process.Signal(os.Interrupt)
	began := time.Now()
	p.wantExit(t, 0)
	if d := time.Since(began); d >= grace {
		t.Errorf("it took %v: as if there had been no second signal", d)
	}
}

// asked is told when the silent service has got a request.
var asked = make(chan struct{}, 1)

// silentService accepts, reads and never answers.
func silentService(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		nc.Read(make([]byte, 1))
		asked <- struct{}{}
		io.Copy(io.Discard, nc)
		nc.Close()
	}()
	return "http://" + l.Addr().String()
}
