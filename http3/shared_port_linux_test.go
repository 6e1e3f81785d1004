package http3_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	peer "github.com/quic-go/quic-go/http3"
	"golang.org/x/sys/unix"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// sharedKey is the secret of the tests' processes.
var sharedKey = bytes.Repeat([]byte("secret"), 6)

// listenReuse opens a socket whose port other sockets may share.
func listenReuse(t testing.TB, addr string) net.PacketConn {
	t.Helper()
	cfg := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	}}
	pc, err := cfg.ListenPacket(t.Context(), "udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return pc
}

// who responds with the process's number, and with many bytes if the request asks for them.
func who(process int) server.Handler {
	return server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/big":
			page(w, r)
			return
		case "/addr":
			fmt.Fprint(w, r.RemoteAddr())
			return
		case "/echo":
			io.Copy(io.Discard, r)
		}
		fmt.Fprintf(w, "%d%s", process, r.Header().Get("Early-Data"))
	})
}

// sharedProcesses are servers on one port, each of which acts as a process of its own.
type sharedProcesses struct {
	*testing.T
	addr string
	dir  string
	all  []*rig
	h3   []*http3.Server
}

func startShared(t *testing.T, n int) *sharedProcesses { return startSharedAt(t, "127.0.0.1:0", n) }

func startSharedAt(t *testing.T, addr string, n int) *sharedProcesses {
	p := &sharedProcesses{T: t, addr: addr, dir: shortDir(t)}
	for i := range n {
		pc := listenReuse(t, p.addr)
		p.addr = pc.LocalAddr().String()
		p.start(pc, i)
	}
	return p
}

// shortDir returns a directory whose path is short enough for names of sockets in it.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "h3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// start starts another server.
func (p *sharedProcesses) start(pc net.PacketConn, process int) {
	cert, _ := certificate()
	r := &rig{T: p.T, log: new(lines), addr: p.addr}
	r.s = server.NewServer(server.Config{Handler: who(process), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
	h := http3.NewServer(r.s, http3.Config{EarlyData: true, SharedPort: &http3.SharedPort{Key: sharedKey, Process: process, Dir: p.dir}})
	served := make(chan error, 1)
	go func() { served <- h.Serve(pc, "", "") }()
	p.Cleanup(func() {
		r.s.Close()
		if err := wiretest.Within(p, "Serve to return", served); err != server.ErrServerClosed {
			p.Errorf("process %d: got %v, want %v", process, err, server.ErrServerClosed)
		}
		pc.Close()
	})
	wiretest.Eventually(p, "the process's socket", func() bool {
		_, err := os.Stat(filepath.Join(p.dir, p.addr+"."+strconv.Itoa(process)+".sock"))
		return err == nil
	})
	p.all, p.h3 = append(p.all, r), append(p.h3, h)
}

// passedOn returns how many packets were passed on, and how many connections there were.
func (p *sharedProcesses) counts() (passedOn int64, conns int64) {
	for i := range p.all {
		passedOn += p.h3[i].Stats().ForwardedPackets
		conns += p.all[i].s.Stats().Connections
	}
	return passedOn, conns
}

// A client whose address changes twelve times keeps its one connection, in the middle of responses, with one process and with
// several on the port.
func TestMoves(t *testing.T) {
	for _, tc := range []struct {
		listen, at string
		n          int
	}{{"127.0.0.1:0", "127.0.0.1", 1}, {"127.0.0.1:0", "127.0.0.1", 3}, {"0.0.0.0:0", "127.0.0.2", 3}, {":0", "127.0.0.2", 3}, {":0", "::1", 3}} {
		n := tc.n
		t.Run(fmt.Sprint(n, tc.listen, " ", tc.at), func(t *testing.T) {
			if c, err := net.ListenPacket("udp", net.JoinHostPort(tc.at, "0")); err != nil {
				t.Skip(err) // no IPv6
			} else {
				c.Close()
			}
			p := startSharedAt(t, tc.listen, n)
			_, port, _ := net.SplitHostPort(p.addr)
			l := newLine(t, net.JoinHostPort(tc.at, port), 0, 0)
			_, pool := certificate()
			tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
			defer tr.Close()
			c := &http.Client{Transport: tr, Timeout: time.Minute}
			url := "https://" + l.addr
			first := ""
			for move := range 13 {
				resp, err := c.Get(url + "/big")
				if err != nil {
					t.Fatalf("move %d: %v", move, err)
				}
				if move > 0 {
					io.CopyN(io.Discard, resp.Body, 1<<18)
					l.rebind()
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Fatalf("move %d: %v", move, err)
				}
				resp.Body.Close()
				if resp, err = c.Get(url + "/"); err != nil {
					t.Fatalf("move %d: %v", move, err)
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if first == "" {
					first = string(b)
				}
				if string(b) != first || err != nil {
					t.Fatalf("move %d: got a response of process %q, %v; want process %s", move, b, err, first)
				}
			}
			if passedOn, conns := p.counts(); conns != 1 || (passedOn > 0) != (n > 1) {
				t.Errorf("%d connections, %d packets were passed on", conns, passedOn)
			}
		})
	}
}

// A client that moves to another socket on its own, with a new connection identifier each time, can do so any number of times.
func TestMigration(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := startShared(t, n)
			c := p.dialFrom(new(socket).open(t))
			k := &talk{p.all[0], c}
			first := k.ask(unhex(t, get), true)
			var old *quic.Path
			for move := range 12 {
				tr := &quic.Transport{Conn: new(socket).open(t)}
				t.Cleanup(func() { tr.Close() })
				path, err := c.AddPath(tr)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := within(t)
				if err := path.Probe(ctx); err != nil {
					t.Fatalf("move %d: %v", move, err)
				}
				cancel()
				if err := path.Switch(); err != nil {
					t.Fatalf("move %d: %v", move, err)
				}
				if got := k.ask(unhex(t, get), true); got != first {
					t.Fatalf("move %d: %q, and then %q", move, first, got)
				}
				k.moved(tr.Conn)
				if old != nil { // it would keep an identifier
					old.Close()
				}
				old = path
			}
			if passedOn, conns := p.counts(); conns != 1 || (passedOn > 0) != (n > 1) {
				t.Errorf("%d connections, %d packets were passed on", conns, passedOn)
			}
		})
	}
}

// moved waits until the server sends to a socket: before that it has no identifiers for another move.
func (k *talk) moved(to net.PacketConn) {
	k.Helper()
	wiretest.Eventually(k, "the server to send to the new address", func() bool {
		return k.ask(unhex(k, "[:method GET|:scheme https|:authority a.test|:path /addr]"), true) == "200 "+to.LocalAddr().String()
	})
}

// socket is a client's socket that knows the last identifier to which it has sent a short header.
type socket struct {
	net.PacketConn
	mu sync.Mutex
	to []byte
}

func (s *socket) open(t testing.TB) *socket {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	s.PacketConn = pc
	return s
}

func (s *socket) WriteTo(b []byte, to net.Addr) (int, error) {
	const idLen = 17
	if b[0]&0x80 == 0 {
		s.mu.Lock()
		s.to = bytes.Clone(b[1 : 1+idLen])
		s.mu.Unlock()
	}
	return s.PacketConn.WriteTo(b, to)
}

func (s *socket) last() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to
}

// dialFrom opens a connection from a socket.
func (p *sharedProcesses) dialFrom(pc net.PacketConn) *quic.Conn {
	p.Helper()
	_, pool := certificate()
	to, err := net.ResolveUDPAddr("udp", p.addr)
	if err != nil {
		p.Fatal(err)
	}
	tr := &quic.Transport{Conn: pc}
	c, err := tr.Dial(p.Context(), to, clientTLS(pool), &quic.Config{})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		c.CloseWithError(0x100, "")
		tr.Close()
	})
	return c
}

// A session ticket from one process lets the client send early requests to another.
func TestSharedTickets(t *testing.T) {
	p := startShared(t, 2)
	_, pool := certificate()
	tickets := make(chan bool, 1)
	cfg := clientTLS(pool)
	cfg.ClientSessionCache = &toldCache{tls.NewLRUClientSessionCache(1), tickets}
	c, err := quic.DialAddr(t.Context(), p.addr, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := (&talk{p.all[0], c}).ask(unhex(t, get), true)
	wiretest.Within(t, "a ticket", tickets)
	c.CloseWithError(0x100, "")
	wiretest.Eventually(t, "a response of the other process to an early request", func() bool {
		c, err := quic.DialAddrEarly(t.Context(), p.addr, cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseWithError(0x100, "")
		k := &talk{p.all[0], c}
		s, err := c.OpenStream()
		if err != nil {
			t.Fatal(err)
		}
		s.Write(unhex(t, get))
		s.Close()
		got := k.response(s)
		if !c.ConnectionState().Used0RTT {
			t.Error("0-RTT was not used")
		}
		return got != first && got != first+"1" && strings.HasSuffix(got, "1") && got != "200 1"
	})
}

// While a process shuts down, its requests go on, and other processes serve new clients whose packets arrive at it.
func TestDrain(t *testing.T) {
	p := startShared(t, 3)
	var k *talk
	wiretest.Eventually(t, "a connection to the first process", func() bool {
		k = &talk{p.all[0], p.all[0].dial()}
		return k.ask(unhex(t, get), true) == "200 0"
	})
	s := k.open(unhex(t, "[:method POST|:scheme https|:authority a.test|:path /echo]"), false)
	wiretest.Eventually(t, "the request", func() bool { return p.all[0].s.Stats().Requests > 1 })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.h3[0].Shutdown(over); err != context.Canceled { // it has begun, and waits no longer
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	shut := make(chan error, 1)
	go func() { shut <- p.all[0].s.Shutdown(t.Context()) }()
	for range 30 { // one in three arrives at the first process
		if got := (&talk{p.all[0], p.all[0].dial()}).ask(unhex(t, get), true); got != "200 1" && got != "200 2" {
			t.Errorf(`got %q, want "200 1" or "200 2"`, got)
		}
	}
	if p.h3[0].Stats().ForwardedPackets == 0 {
		t.Error("no packet was passed on")
	}
	s.Close()
	if got := k.response(s); got != "200 0" {
		t.Errorf(`got %q, want "200 0"`, got)
	}
	if err := wiretest.Within(t, "the end", shut); err != nil {
		t.Error(err)
	}
}

// Packets that name another process cost their receiver and that process little: an honest client is served, wherever it moves,
// and packets that only look like its own do its connection no harm.
func TestForeignFlood(t *testing.T) {
	p := startShared(t, 3)
	honest := new(socket).open(t)
	k := &talk{p.all[0], p.dialFrom(honest)}
	first := k.ask(unhex(t, get), true)
	wiretest.Eventually(t, "a packet after the handshake", func() bool { return honest.last() != nil })
	to, err := net.ResolveUDPAddr("udp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	var floods sync.WaitGroup
	for range 16 { // so that they do not all arrive at the process that has the connection
		pc := new(socket).open(t)
		packet := append(append([]byte{0x41}, honest.last()...), make([]byte, 1200)...)
		floods.Go(func() {
			for { // as many as leave room in the sockets' buffers for others
				for range 2 {
					pc.PacketConn.WriteTo(packet, to)
				}
				select {
				case <-ended:
					return
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
	var old *quic.Path
	for range 5 {
		tr := &quic.Transport{Conn: new(socket).open(t)}
		t.Cleanup(func() { tr.Close() })
		path, err := k.c.AddPath(tr)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := within(t)
		if err := path.Probe(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := path.Switch(); err != nil {
			t.Fatal(err)
		}
		if got := k.ask(unhex(t, get), true); got != first {
			t.Errorf("%q, and then %q", first, got)
		}
		k.moved(tr.Conn)
		if old != nil {
			old.Close()
		}
		old = path
	}
	wiretest.Eventually(t, "the flood to be passed on", func() bool {
		passedOn, _ := p.counts()
		return passedOn > 2000
	})
	if got := k.ask(unhex(t, get), true); got != first {
		t.Errorf("%q, and then %q", first, got)
	}
	close(ended)
	floods.Wait()
	if _, conns := p.counts(); conns != 1 {
		t.Errorf("%d connections", conns)
	}
}

// Invalid settings, numbers in use and sockets that cannot be shared are errors.
func TestSharedSettings(t *testing.T) {
	p := startShared(t, 1)
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, shared := range map[string]http3.SharedPort{
		"http3: SharedPort.Key has 31 bytes: at least 32 are needed":  {Key: sharedKey[:31], Process: 1, Dir: p.dir},
		"http3: SharedPort.Process is -1: it must be from 0 to 65535": {Key: sharedKey, Process: -1, Dir: p.dir},
		"is 65536":                         {Key: sharedKey, Process: 65536, Dir: p.dir},
		"http3: SharedPort.Dir is not set": {Key: sharedKey},
		"no such file":                     {Key: sharedKey, Dir: filepath.Join(p.dir, "none")},
		"is no directory":                  {Key: sharedKey, Dir: file},
		"writable by everybody":            {Key: sharedKey, Dir: open},
		"bytes too long":                   {Key: sharedKey, Dir: longDir(t)},
		"process 0 at " + p.addr + ": number in use by another process": {Key: sharedKey, Dir: p.dir},
	} {
		cert, _ := certificate()
		s := server.NewServer(server.Config{Handler: who(0), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
		if err := http3.NewServer(s, http3.Config{SharedPort: &shared}).ListenAndServe(p.addr, "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if !strings.Contains(want, "Key") {
			continue
		}
		shared.Key = sharedKey
		if err := http3.NewServer(s, http3.Config{SharedPort: &shared}).Serve(new(socket).open(t), "", ""); err == nil || !strings.Contains(err.Error(), "cannot be shared") {
			t.Errorf("another kind of socket: %v", err)
		}
	}
}

func longDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 100))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// processVar is set in the environment of a process that TestProcesses starts: its number, the address and the directory.
const processVar = "SHOCKWAVE_TEST_SHARED_PROCESS"

// TestProcess is not a test: TestProcesses runs it in other processes. It serves until it is killed or its input ends.
func TestProcess(t *testing.T) {
	var process int
	var addr, dir string
	if n, _ := fmt.Sscan(os.Getenv(processVar), &process, &addr, &dir); n != 3 {
		t.Skip("is run by TestProcesses")
	}
	cert, _ := certificate()
	s := server.NewServer(server.Config{Handler: who(process), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		s.Close()
	}()
	err := http3.NewServer(s, http3.Config{SharedPort: &http3.SharedPort{Key: sharedKey, Process: process, Dir: dir}}).ListenAndServe(addr, "", "")
	if err != server.ErrServerClosed {
		t.Errorf("got %v, want %v", err, server.ErrServerClosed)
	}
}

// When one of several processes is killed, its clients are told at once that their connections are gone: by the process that gets
// their packets now, and by the next one with its number.
func TestProcesses(t *testing.T) {
	p := startShared(t, 1)
	run := func(process int) *exec.Cmd {
		t.Helper()
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], "-test.run=^TestProcess$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s %s", processVar, process, p.addr, p.dir))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			cmd.Wait()
		})
		return cmd
	}
	// A client trusts the certificates of all processes: each makes its own.
	dial := func() (*quic.Conn, string) {
		c, err := quic.DialAddr(t.Context(), p.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}}, &quic.Config{MaxIdleTimeout: time.Hour})
		if err != nil {
			return nil, err.Error()
		}
		t.Cleanup(func() { c.CloseWithError(0x100, "") })
		return c, (&talk{p.all[0], c}).ask(unhex(t, get), true)
	}
	for _, again := range []bool{false, true} {
		cmd := run(7)
		var c *quic.Conn
		wiretest.Eventually(t, "a connection to the process", func() (there bool) {
			got := ""
			c, got = dial()
			return got == "200 7"
		})
		cmd.Process.Kill()
		cmd.Wait()
		if again {
			run(7)
			wiretest.Eventually(t, "the next process", func() bool {
				_, got := dial()
				return got == "200 7"
			})
		}
		if s, err := c.OpenStream(); err == nil {
			s.Write(unhex(t, get)) // is sent until something comes back
		}
		wiretest.Within(t, "the end of the connection", c.Context().Done())
		if err := context.Cause(c.Context()); !errors.As(err, new(*quic.StatelessResetError)) {
			t.Errorf("started again %v: %v", again, err)
		}
	}
}
