package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/shockwave-go/shockwave/compat/internal/h3server"
	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// patience bounds every wait; it decides nothing when things work.
const patience = 8 * time.Second

// hostile is a server that responds to requests for /bad in a way of its own, and those for /next as it should.
type hostile struct {
	name string
	bad  func(nc net.Conn) (goesOn bool) // the connection does; over HTTP/2 it is how the first one begins

	frames  func(c *framer, id uint32)              // what becomes of /bad over HTTP/2
	streams func(c *h3server.Conn, st *quic.Stream) // what becomes of /bad over HTTP/3
	begins  func(c *h3server.Conn)                  // how the first connection of HTTP/3 begins, instead of with SETTINGS
	conns   atomic.Int64

	want string // in the error; "" if /bad has a response that is to be taken
	body string // then its body
	or   string // in the error, if that is how it is refused: what is wrong came behind it, or breaks two rules

	stays bool // the connection is used for /next, too, which may fail with it
}

// serveHostile serves until the test ends.
func serveHostile(t *testing.T, serve func(nc net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			nc.SetDeadline(time.Now().Add(2 * patience))
			all.Go(func() {
				defer nc.Close()
				serve(nc)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

// serveHTTP1 responds to requests on a connection: h's, and others.
func (h *hostile) serveHTTP1(nc net.Conn) {
	br := bufio.NewReader(nc)
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		if req.URL.Path != "/bad" {
			io.WriteString(nc, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
		} else if !h.bad(nc) {
			return
		}
	}
}

// says is a response that is sent as it stands. Another request on the connection gets a good response.
func says(s string) func(net.Conn) bool {
	return func(nc net.Conn) bool {
		_, err := io.WriteString(nc, s)
		return err == nil
	}
}

// cut is a response behind which the connection ends.
func cut(s string) func(net.Conn) bool {
	return func(nc net.Conn) bool {
		io.WriteString(nc, s)
		return false
	}
}

// endless is a response that goes on with the same piece until the client has enough of it.
func endless(s, piece string) func(net.Conn) bool {
	many := []byte(strings.Repeat(piece, 1+16<<10/len(piece)))
	return func(nc net.Conn) bool {
		_, err := io.WriteString(nc, s)
		for err == nil {
			_, err = nc.Write(many)
		}
		return false
	}
}

// gate is a server whose handler runs as the first thing that a program asks for, and as the last.
func gate(t *testing.T, f func()) (url string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { f() }))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// got is a line that get has printed.
type got struct {
	URL, Proto, Body, Error string
	Status                  int
	Length                  *int64
	Milliseconds            float64 `json:"ms"`
}

// carrier is how servers are reached. Both have a server run until the test ends, and return its URL.
type carrier struct {
	run  func(t *testing.T, h *hostile) (url string)
	gate func(t *testing.T, f func()) (url string) // of one whose handler is f
}

// overTCP is the carrier of servers that serve their connections with serve.
func overTCP(serve func(*hostile, net.Conn)) carrier {
	return carrier{gate: gate, run: func(t *testing.T, h *hostile) string {
		return "http://" + serveHostile(t, func(nc net.Conn) { serve(h, nc) })
	}}
}

// mostGrown is what the memory of get may grow by, whatever servers send.
const mostGrown = 16 << 10 // KiB

// facing has the program get /bad and then /next of every server, and looks at what it has printed and what memory it has
// held on the way. No URL may take longer than timeout.
func facing(t *testing.T, timeout time.Duration, servers []hostile, over carrier, flags ...string) {
	t.Parallel()
	lines := getFrom(t, timeout, servers, over, flags...)
	for i := range servers {
		t.Run(servers[i].name, func(t *testing.T) { servers[i].check(t, lines[2*i], lines[2*i+1], timeout) })
	}
}

// facingEach is facing with a program for each server, because each takes as long as it may.
func facingEach(t *testing.T, timeout time.Duration, servers []hostile, over carrier, flags ...string) {
	for i := range servers {
		t.Run(servers[i].name, func(t *testing.T) {
			t.Parallel()
			lines := getFrom(t, timeout, servers[i:i+1], over, flags...)
			servers[i].check(t, lines[0], lines[1], timeout)
		})
	}
}

// getFrom returns what the program has printed of /bad and /next of every server.
func getFrom(t *testing.T, timeout time.Duration, servers []hostile, over carrier, flags ...string) []got {
	t.Helper()
	var pid int
	var before, most atomic.Int64
	known := make(chan bool)
	first := over.gate(t, func() { <-known; before.Store(int64(memoryKiB(t, pid, "VmRSS:"))) })
	last := over.gate(t, func() { most.Store(int64(memoryKiB(t, pid, "VmHWM:"))) })
	urls := []string{first}
	for i := range servers {
		at := over.run(t, &servers[i])
		urls = append(urls, at+"/bad", at+"/next")
	}
	cmd := exec.Command(program.Shockwave(t), slices.Concat([]string{"get", "-timeout", timeout.String()}, flags, urls, []string{last})...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid = cmd.Process.Pid
	close(known)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("the program ended with %v: %s%s", err, &out, &errs)
	}
	lines := readLines(t, out.String())
	if len(lines) != len(urls)+1 {
		t.Fatalf("%d lines for %d URLs:\n%s", len(lines), len(urls)+1, &out)
	}
	if grown := most.Load() - before.Load(); grown > mostGrown && !program.Raced {
		t.Errorf("the program's memory has grown by %d KiB, from %d KiB", grown, before.Load())
	} else {
		t.Logf("the program's memory has grown by %d KiB", grown)
	}
	return lines[1 : len(lines)-1]
}

// check looks at what was printed of a server.
func (h *hostile) check(t *testing.T, bad, next got, timeout time.Duration) {
	t.Helper()
	t.Logf("%+v", bad)
	// A write after a reset fails as a broken pipe.
	refused := h.or != "" && strings.Contains(bad.Error, h.or) || h.or == "reset" && strings.Contains(bad.Error, "broken pipe")
	if h.want == "" && !refused && (bad.Error != "" || bad.Body != h.body || *bad.Length != int64(len(h.body))) {
		t.Errorf("%+v, want the body %q", bad, h.body)
	}
	if h.want != "" && (bad.Status != 0 || !strings.Contains(bad.Error, h.want) && !refused) {
		t.Errorf("%+v, want an error with %q", bad, h.want)
	}
	if limit := timeout + timeout/2 + time.Second; bad.Milliseconds > float64(limit.Milliseconds()) {
		t.Errorf("it took %v ms, longer than %v", bad.Milliseconds, timeout)
	}
	if next.Error != "" && h.stays {
		return
	}
	if next.Error != "" || next.Status != 200 || next.Body != "next" || *next.Length != 4 {
		t.Errorf("after it came %+v", next)
	}
}

func readLines(t *testing.T, text string) (lines []got) {
	t.Helper()
	for line := range strings.Lines(text) {
		var g got
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&g); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if (g.Error == "") == (g.Length == nil) {
			t.Errorf("%q is neither a response nor an error", line)
		}
		lines = append(lines, g)
	}
	return lines
}

// memoryKiB is a figure of a process's memory; 0 where it cannot be told.
func memoryKiB(t *testing.T, pid int, name string) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, ok := bytes.Cut(text, []byte(name))
	if err != nil || !ok {
		t.Errorf("%s of %d: %v", name, pid, err)
		return 0
	}
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Error(err)
	}
	return n
}
