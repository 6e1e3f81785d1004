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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// process is the built program.
type process struct {
	cmd  *exec.Cmd
	out  *bufio.Reader
	addr string
}

// launch runs the program until it has said where it listens.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{cmd: clitest.ProgramCommand(t, args...)}
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
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

func (p *process) dial(t *testing.T) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(clitest.Patience))
	return nc
}

// begin starts a request that is in the handler's hands when begin returns.
func (p *process) begin(t *testing.T) net.Conn {
	t.Helper()
	nc := p.dial(t)
	fmt.Fprint(nc, "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
	want := "HTTP/1.1 100 Continue\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(nc, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v; want 100", got, err)
	}
	return nc
}

// interrupt sends sig and returns when it has arrived: the port is closed then.
func (p *process) interrupt(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(clitest.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		nc, err := net.Dial("tcp", p.addr)
		if err != nil {
			return
		}
		nc.Close()
	}
	t.Fatal("the program goes on listening")
}

// A signal lets requests finish, and a second one ends the program at once.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String()+" lets requests finish", func(t *testing.T) {
			t.Parallel()
			p := launch(t, "echo", "-addr", "127.0.0.1:0")
			nc := p.begin(t)
			p.interrupt(t, sig)
			fmt.Fprint(nc, "hello")
			resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
			if err != nil || resp.StatusCode != 200 {
				t.Errorf("the request in flight got %v, %v", resp, err)
			}
			p.wantExit(t, 0)
		})
	}
	t.Run("a second one ends it at once", func(t *testing.T) {
		t.Parallel()
		p := launch(t, "echo", "-native", "-addr", "127.0.0.1:0")
		p.begin(t) // and never finish
		p.interrupt(t, os.Interrupt)
		began := time.Now()
		p.cmd.Process.Signal(os.Interrupt)
		p.wantExit(t, 0)
		if d := time.Since(began); d >= site.Grace {
			t.Errorf("it took %v: as if there had been no second signal", d)
		}
	})
	t.Run("an open event stream is no request to wait for", func(t *testing.T) {
		t.Parallel()
		p := launch(t, "serve", "-addr", "127.0.0.1:0")
		nc := p.dial(t)
		fmt.Fprint(nc, "GET /counters HTTP/1.1\r\nHost: h\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
		if err != nil {
			t.Fatal(err)
		}
		p.interrupt(t, os.Interrupt)
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Errorf("the stream ended with %v, want its last chunk", err)
		}
		p.wantExit(t, 0)
	})
}
