//go:build unix

package forward

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest/breaks"
)

// forwarded are two programs with a proxy between them, and the local ports of the near one by their services.
type forwarded struct {
	far, near *clitest.Script
	proxy     *breaks.Proxy
	doors     map[string]string
}

func forwards(t *testing.T, services map[string]string, flags ...string) *forwarded {
	t.Helper()
	f := &forwarded{doors: map[string]string{}}
	args := []string{"forward", "-listen", "tls://127.0.0.1:0"}
	dial := []string{"forward", "-insecure"}
	for name, addr := range services {
		if addr != "" {
			args = append(args, "-to", name+"="+addr)
		}
		dial = append(dial, "-L", "0="+name)
	}
	if len(args) == 3 {
		args = append(args, "-to", "else=127.0.0.1:1")
	}
	f.far = clitest.Run(t, args...)
	addr, _, _ := strings.Cut(f.far.Says("listening on tls://"), ",")
	f.proxy = breaks.New(t, addr)
	f.near = clitest.Run(t, append(append(dial, "-connect", "tls://"+f.proxy.Addr()), flags...)...)
	f.far.Says("session ")
	for range services {
		f.near.Says("forwarding ")
	}
	wiretest.Eventually(t, "doors", func() bool {
		for line := range strings.Lines(f.near.Err.String()) {
			if door, ok := strings.CutPrefix(strings.TrimSpace(line), "forwarding "); ok {
				at, name, _ := strings.Cut(door, " to ")
				f.doors[name] = at
			}
		}
		return len(f.doors) == len(services)
	})
	return f
}

func (f *forwarded) ends(t *testing.T) {
	t.Helper()
	f.near.Signal(os.Interrupt)
	f.near.Ends(0)
	f.far.Signal(syscall.SIGTERM)
	f.far.Ends(0)
}

// service accepts connections and gives each to serve.
func service(t *testing.T, serve func(nc *net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			nc.SetDeadline(time.Now().Add(clitest.Patience))
			all.Go(func() { defer nc.Close(); serve(nc.(*net.TCPConn)) })
		}
	})
	return l.Addr().String()
}

func dialDoor(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	nc.SetDeadline(time.Now().Add(clitest.Patience))
	t.Cleanup(func() { nc.Close() })
	return nc.(*net.TCPConn)
}

// Bytes, half-closes and several services pass through breaks of the line.
func TestForward(t *testing.T) {
	t.Parallel()
	sum := service(t, func(nc *net.TCPConn) { // answers when it has heard the end
		h := sha256.New()
		io.Copy(h, nc)
		nc.Write(h.Sum(nil))
	})
	echo := service(t, func(nc *net.TCPConn) { io.Copy(nc, nc) })
	f := forwards(t, map[string]string{"sum": sum, "echo": echo})
	content := []byte(clitest.Filled(20_000_000))
	nc := dialDoor(t, f.doors["sum"])
	small := dialDoor(t, f.doors["echo"])
	for i := range len(content) / 1_000_000 {
		if _, err := nc.Write(content[i*1_000_000 : (i+1)*1_000_000]); err != nil {
			t.Fatal(err)
		}
		small.Write([]byte{byte(i)})
		if i%4 == 0 {
			f.proxy.Cut(breaks.How(i / 4 % 3))
		}
	}
	nc.CloseWrite()
	want := sha256.Sum256(content)
	if got, err := io.ReadAll(nc); err != nil || !bytes.Equal(got, want[:]) {
		t.Errorf("%x, %v", got, err)
	}
	small.CloseWrite()
	if got, err := io.ReadAll(small); err != nil || string(got) != clitest.Filled(20) {
		t.Errorf("%q, %v", got, err)
	}
	if said := f.near.Err.String(); !strings.Contains(said, "resumed after") {
		t.Errorf("it said %s", said)
	}
	f.proxy.Exorcise()
	f.ends(t)
}

// A reset passes in both directions, and a service that is down or unknown is a reset.
func TestForwardResets(t *testing.T) {
	t.Parallel()
	seen := make(chan error, 1)
	hears := service(t, func(nc *net.TCPConn) {
		nc.Write([]byte("x"))
		_, err := io.ReadAll(nc)
		seen <- err
	})
	resets := service(t, func(nc *net.TCPConn) { nc.Read(make([]byte, 1)); abort(nc) })
	f := forwards(t, map[string]string{"hears": hears, "resets": resets, "down": "127.0.0.1:1", "unknown": ""})
	nc := dialDoor(t, f.doors["hears"])
	io.ReadFull(nc, make([]byte, 1))
	abort(nc)
	if err := wiretest.Within(t, "a reset", seen); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the service saw %v", err)
	}
	for _, name := range []string{"resets", "down", "unknown"} {
		nc, err := net.Dial("tcp", f.doors[name])
		if err == nil { // else the reset has come before connect has returned
			t.Cleanup(func() { nc.Close() })
			nc.SetDeadline(time.Now().Add(clitest.Patience))
			nc.Write([]byte("x"))
			_, err = io.ReadAll(nc)
		}
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.near.Says("shockwave: down: the service does not answer")
	f.near.Says("shockwave: unknown: there is no such service")
	f.far.Says(`shockwave: the peer asks for "unknown"`)
	f.ends(t)
}

// -L works on the side that listens, and a lost session is followed by another.
func TestForwardBack(t *testing.T) {
	t.Parallel()
	echo := service(t, func(nc *net.TCPConn) { io.Copy(nc, nc) })
	far := clitest.Run(t, "forward", "-listen", "tcp://127.0.0.1:0", "-L", "0=echo", "-max-connections", "1")
	addr := far.Says("listening on tcp://")
	door, _, _ := strings.Cut(far.Says("forwarding "), " ")
	proxy := breaks.New(t, addr)
	near := clitest.Run(t, "forward", "-connect", "tcp://"+proxy.Addr(), "-to", "echo="+echo, "-resume-time", "200ms")
	for range 2 {
		near.Says("session ")
		for range 2 { // one after the other: only one may be there at a time, and the end of the first is told a moment later
			wiretest.Eventually(t, "an echo", func() bool { return echoes(door) })
		}
		proxy.Refuse(true)
		proxy.Cut(breaks.Reset)
		wiretest.Eventually(t, "a lost session", func() bool { return strings.Contains(near.Err.String(), "session lost") })
		proxy.Refuse(false)
	}
	near.Signal(os.Interrupt)
	near.Ends(0)
	far.Signal(os.Interrupt)
	far.Ends(0)
}

// echoes tells whether what is sent to the local port comes back. A port that leads nowhere now resets, sometimes before connect
// has returned.
func echoes(door string) bool {
	nc, err := net.Dial("tcp", door)
	if err != nil {
		return false
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(clitest.Patience))
	io.WriteString(nc, "there and back")
	nc.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(nc)
	return err == nil && string(got) == "there and back"
}

// Command lines that do not fit are refused.
func TestForwardUsage(t *testing.T) {
	for _, args := range [][]string{
		{"-connect", "tcp://127.0.0.1:1"}, {"-L", "1=a"}, {"-connect", "tcp://127.0.0.1:1", "-L", "a"},
		{"-connect", "tcp://127.0.0.1:1", "-L", "1"}, {"-connect", "tcp://127.0.0.1:1", "-L", "99999=a"},
		{"-connect", "tcp://127.0.0.1:1", "-to", "a"}, {"-connect", "tcp://127.0.0.1:1", "-to", "a=b"},
		{"-connect", "tcp://127.0.0.1:1", "-to", "a=b:1", "-to", "a=c:1"}, {"-listen", "tcp://127.0.0.1:0", "-to", "a=b:1", "-client-ca", "x"},
	} {
		if code := program(append([]string{"forward"}, args...), cli.Console{Out: &clitest.Buffer{}, Err: &clitest.Buffer{}}); code != 2 {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
}
