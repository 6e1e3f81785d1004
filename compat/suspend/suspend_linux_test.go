package suspend

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/streamsock"
	"github.com/shockwave-go/shockwave/tcpmux"
	"github.com/shockwave-go/shockwave/websocket"
)

// A process that was stopped blames nobody for the time that it lost: its peers have sent what they had to, and it has not
// read that. TestSuspended stops a process with servers of all kinds for longer than their time-outs, while clients keep
// their connections alive. The clients have no time-outs of their own.

// patience is the time-out of the servers; the stop is several times as long, and clients show life more often.
const patience, stop, pace = 400 * time.Millisecond, 1500 * time.Millisecond, 40 * time.Millisecond

// suspendedServer runs the servers of the process that is stopped, until its input ends.
func suspendedServer() {
	ctx := context.Background()
	mux := http.NewServeMux()
	mux.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, websocket.Config{PingInterval: patience / 2})
		for err == nil {
			_, _, err = c.ReadMessage()
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	h := &nethttp.Server{Handler: mux, IdleTimeout: patience, ReadHeaderTimeout: patience, ReadTimeout: 2 * patience}
	go h.Serve(l)
	fmt.Println("http", l.Addr())
	s := streamsock.New(streamsock.Config{IdleTimeout: patience, PingInterval: patience / 2, OnMessage: func(streamsock.Message) {}})
	for _, scheme := range []string{"tcp", "ws"} {
		addr, err := s.Bind(scheme + "://127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(scheme, addr[0])
	}
	m, err := tcpmux.Listen("tcp://127.0.0.1:0", tcpmux.Config{PingInterval: patience / 2})
	if err != nil {
		panic(err)
	}
	fmt.Println("mux", m.Addr())
	go func() {
		for {
			if _, err := m.Accept(ctx); err != nil {
				return
			}
		}
	}()
	fmt.Println()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// A process that was stopped for a while blames no peer for that time.
func TestSuspended(t *testing.T) {
	if os.Getenv("SHOCKWAVE_SUSPENDED") != "" {
		suspendedServer()
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSuspended$")
	cmd.Env = append(os.Environ(), "SHOCKWAVE_SUSPENDED=1")
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
	addrs := map[string]string{}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != ""; {
		name, addr, _ := strings.Cut(lines.Text(), " ")
		addrs[name] = strings.TrimPrefix(addr, name+"://")
	}
	ctx, over := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for name, begin := range map[string]func(t *testing.T, addrs map[string]string) (sign func() error){
		"keep-alive":       keptAlive,
		"a body in pieces": slowBody,
		"websocket":        func(t *testing.T, a map[string]string) func() error { return aWebSocket(t, "ws://"+a["http"]+"/ws") },
		"streamsock, tcp":  func(t *testing.T, a map[string]string) func() error { return aSocket(t, "tcp://"+a["tcp"]) },
		"streamsock, ws":   func(t *testing.T, a map[string]string) func() error { return aSocket(t, "ws://"+a["ws"]) },
		"tcpmux":           aSession,
	} {
		sign := begin(t, addrs)
		clients.Go(func() {
			for ctx.Err() == nil {
				if err := sign(); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				time.Sleep(pace)
			}
		})
	}
	time.Sleep(4 * pace)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stop)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(patience)
	over()
	clients.Wait()
}

// keptAlive makes one request after the other on one connection.
func keptAlive(t *testing.T, addrs map[string]string) func() error {
	nc, err := net.Dial("tcp", addrs["http"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	r := bufio.NewReader(nc)
	return func() error {
		if _, err := io.WriteString(nc, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			return err
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
}

// slowBody sends a request whose body comes in pieces, of which the last comes when the server runs again.
func slowBody(t *testing.T, addrs map[string]string) func() error {
	nc, err := net.Dial("tcp", addrs["http"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	if _, err := io.WriteString(nc, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\nfirst "); err != nil {
		t.Fatal(err)
	}
	begun, ended := time.Now(), false
	return func() error {
		if ended || time.Since(begun) < stop+5*pace {
			return nil
		}
		ended = true
		if _, err := io.WriteString(nc, "second"); err != nil {
			return err
		}
		resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
		if err != nil {
			return err
		}
		if p, err := io.ReadAll(resp.Body); string(p) != "first second" || err != nil {
			return fmt.Errorf("got %q, %v", p, err)
		}
		return nil
	}
}

// aWebSocket answers pings, and says nothing.
func aWebSocket(t *testing.T, url string) func() error {
	c, _, err := websocket.Dial(t.Context(), url, websocket.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	go c.ReadMessage()
	return c.Err
}

// aSocket sends messages to a peer that is not dialled again.
func aSocket(t *testing.T, url string) func() error {
	ended := make(chan error, 1)
	s := streamsock.New(streamsock.Config{RedialFirst: -1, OnMessage: func(m streamsock.Message) {
		if m.Kind == streamsock.EventDisconnected {
			ended <- fmt.Errorf("disconnected: %+v", m.End)
		}
	}})
	t.Cleanup(func() { _ = s.Shutdown(context.Background()) })
	p, err := s.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	return func() error {
		select {
		case err := <-ended:
			return err
		default:
			return p.Send([]byte("here"))
		}
	}
}

// aSession is a session that must not be resumed.
func aSession(t *testing.T, addrs map[string]string) func() error {
	s, err := tcpmux.Dial(t.Context(), "tcp://"+addrs["mux"], tcpmux.Config{PingInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return func() error {
		if n := s.Stats().Resumed; n > 0 || !s.Connected() {
			return fmt.Errorf("the connection has broken; resumed %d times", n)
		}
		return nil
	}
}
