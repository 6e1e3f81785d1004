package http3_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
)

// A process that was stopped (SIGSTOP, a paused container, a laptop's sleep) blames nobody for the time that it lost, and its peer waits
// for it as long as it has said. TestSuspendedServer stops the server's process, TestSuspendedClient the client's.

// patience is the timeout under test, and the process is stopped for several times as long.
const patience, stop = 400 * time.Millisecond, 1500 * time.Millisecond

// child is this test's program in a process of its own, which is the other end.
type child struct {
	*testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startChild(t *testing.T, part string, args ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v=false")
	cmd.Env = append(os.Environ(), "SHOCKWAVE_PART="+part, "SHOCKWAVE_ARGS="+strings.Join(args, " "))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &child{t, cmd, in, bufio.NewScanner(out)}
}

// line waits for the child's next line.
func (c *child) line() string {
	c.Helper()
	if !c.lines.Scan() {
		c.Fatalf("the process says nothing more: %v", c.lines.Err())
	}
	return c.lines.Text()
}

// suspend stops the process for a time.
func (c *child) suspend(d time.Duration) {
	c.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		c.Fatal(err)
	}
	time.Sleep(d)
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		c.Fatal(err)
	}
}

// A server that was stopped for longer than its timeouts keeps the connection of a client that has sent what it had to: a request
// on its way, a body in pieces, and a connection that was in use.
func TestSuspendedServer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/from", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RemoteAddr) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %v", b, err)
	})
	if os.Getenv("SHOCKWAVE_PART") == "server" {
		s := &nethttp.Server{Handler: mux, IdleTimeout: patience, ReadHeaderTimeout: patience, ReadTimeout: 2 * patience}
		fmt.Println(serveNetHTTP(t, s).addr)
		io.Copy(io.Discard, os.Stdin)
		return
	}
	c := startChild(t, "server")
	r := newClientRig(t, c.line())
	r.tr.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} // each process has a certificate of its own
	r.c.Timeout = 0
	r.tr.SendPingTimeout, r.tr.PingTimeout = patience/2, time.Minute
	_, from := r.do("GET", "/from", nil)
	body, out := io.Pipe()
	pieces, failed := make(chan string, 1), make(chan error, 1)
	go func() {
		resp, err := r.c.Post(r.url+"/", "", body)
		if err != nil {
			failed <- err
			return
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		pieces <- string(b)
	}()
	io.WriteString(out, "first ")
	over := make(chan error, 1)
	var ended atomic.Bool
	go func() { // the connection is in use
		var err error
		for err == nil && !ended.Load() {
			var resp *http.Response
			if resp, err = r.c.Get(r.url + "/from"); err == nil {
				b, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if string(b) != from {
					err = fmt.Errorf("another connection: %s, not %s", b, from)
				}
			}
			time.Sleep(patience / 10)
		}
		over <- err
	}()
	time.Sleep(patience / 2)
	c.suspend(stop)
	io.WriteString(out, "second")
	out.Close()
	select {
	case got := <-pieces:
		if got != "first second <nil>" {
			t.Errorf(`got %q, want "first second <nil>"`, got)
		}
	case err := <-failed:
		t.Error(err)
	case <-time.After(time.Minute):
		t.Error("got no response")
	}
	time.Sleep(patience)
	ended.Store(true)
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// A client that was stopped for longer than its timeouts still gets the responses that have arrived meanwhile.
func TestSuspendedClient(t *testing.T) {
	if os.Getenv("SHOCKWAVE_PART") == "client" {
		tr := &http3.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, SendPingTimeout: patience / 2, PingTimeout: patience,
		}
		defer tr.Close()
		c := &http.Client{Transport: tr}
		for _, path := range []string{"/first", "/late"} {
			resp, err := c.Get("https://" + os.Getenv("SHOCKWAVE_ARGS") + path)
			if err != nil {
				fmt.Println(err)
				return
			}
			b, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			fmt.Printf("%s %v\n", b, err)
		}
		return
	}
	arrived := make(chan string, 2)
	release := make(chan bool)
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			arrived <- r.RemoteAddr
			<-release
		}
		io.WriteString(w, r.URL.Path)
	})}
	addr := serveNetHTTP(t, s).addr
	c := startChild(t, "client", addr)
	if got := c.line(); got != "/first <nil>" {
		t.Fatalf(`got %q, want "/first <nil>"`, got)
	}
	<-arrived
	go func() {
		time.Sleep(stop / 2)
		close(release)
	}()
	c.suspend(stop)
	if got := c.line(); got != "/late <nil>" {
		t.Errorf(`got %q, want "/late <nil>"`, got)
	}
	select {
	case <-arrived:
		t.Error("the request was sent again")
	default:
	}
	if n := s.Stats(); n.Connections != 1 {
		t.Errorf("got %+v, want Connections 1", n)
	}
}
