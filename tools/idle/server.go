package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

const answer = "Hello, World!"

// beServer serves until its standard input ends. Each line it reads there makes it return what memory it can to the
// system, and write the heap in use and the number of goroutines.
func beServer(netHTTP bool) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- serve(l, netHTTP) }()
	fmt.Println(l.Addr())
	go func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Println(m.HeapInuse, runtime.NumGoroutine())
		}
		failed <- in.Err()
	}()
	return <-failed
}

// serve answers every request on l with the same text. Idle connections are kept.
func serve(l net.Listener, netHTTP bool) error {
	if netHTTP {
		s := &nethttp.Server{
			Handler:     http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, answer) }),
			IdleTimeout: -1,
		}
		return s.Serve(l)
	}
	s := server.NewServer(server.Config{
		Handler:     server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) { w.WriteString(answer) }),
		IdleTimeout: -1,
	})
	return s.Serve(l)
}

// process is the server that is measured, seen from outside.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	addr string
}

// memory is what a process uses, in bytes.
type memory struct {
	rss, heap  int64
	goroutines int
}

func startServer(netHTTP bool) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-serve", fmt.Sprintf("-net-http=%t", netHTTP))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &process{cmd: cmd, in: in, out: bufio.NewReader(out)}
	s.addr, err = s.out.ReadString('\n')
	s.addr = strings.TrimSpace(s.addr)
	return s, err
}

func (s *process) stop() {
	s.in.Close()
	s.cmd.Wait()
}

// settle makes the server give back what it can, a few times so that what finalizers and pools held goes too, and
// measures what is left.
func (s *process) settle() (m memory, err error) {
	for range 4 {
		if _, err := io.WriteString(s.in, "\n"); err != nil {
			return m, err
		}
		if _, err := fmt.Fscanln(s.out, &m.heap, &m.goroutines); err != nil {
			return m, err
		}
		time.Sleep(200 * time.Millisecond)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return m, err
	}
	_, line, _ := strings.Cut(string(status), "VmRSS:")
	_, err = fmt.Sscanf(line, "%d kB", &m.rss)
	m.rss *= 1024
	return m, err
}
