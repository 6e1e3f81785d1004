package conformance

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// target is a server that echoes.
type target struct {
	name, addr string
	tls        bool
	pid        int  // 0: not a process of ours
	oracle     bool // net/http's own server
}

// dial connects to the target.
func (tg *target) dial() (net.Conn, error) { return tg.dialFor("http/1.1") }

// dialFor connects to speak the protocol with that name (RFC 7301).
func (tg *target) dialFor(protocol string) (net.Conn, error) {
	d := net.Dialer{Timeout: patience}
	nc, err := d.Dial("tcp", tg.addr)
	if err != nil || !tg.tls {
		return nc, err
	}
	// The development certificate is made on the spot, so there is nothing to verify it with.
	tc := tls.Client(nc, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
	if err := tc.Handshake(); err != nil {
		_ = nc.Close()
		return nil, err
	}
	return tc, nil
}

// mustDial connects, and closes when the test ends.
func (tg *target) mustDial(t testing.TB) net.Conn {
	t.Helper()
	nc, err := tg.dial()
	if err != nil {
		t.Fatalf("dial %s: %v", tg.addr, err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	return nc
}

// startEcho runs `shockwave echo` with more flags until the test ends.
func startEcho(t *testing.T, flags ...string) *target {
	t.Helper()
	tg := &target{name: "echo " + strings.Join(flags, " ")}
	var log output
	cmd := exec.Command(program.Shockwave(t), append([]string{"echo", "-addr", "127.0.0.1:0"}, flags...)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tg.pid = cmd.Process.Pid
	for _, f := range flags {
		tg.tls = tg.tls || f == "-tls"
	}
	t.Cleanup(func() { stopEcho(t, cmd, &log) })
	tg.addr = announced(t, &log)
	return tg
}

// stopEcho interrupts the program, which must end in good order and without a word of panics or races.
func stopEcho(t *testing.T, cmd *exec.Cmd, log *output) {
	_ = cmd.Process.Signal(os.Interrupt)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !stop() {
		t.Error("the program did not end within 20 s of an interrupt")
	} else if err != nil {
		t.Errorf("the program ended with %v", err)
	}
	for _, bad := range []string{"panic", "DATA RACE", "fatal error"} {
		if strings.Contains(log.String(), bad) {
			t.Errorf("the program said %q:\n%s", bad, log)
			return
		}
	}
}

// openSockets counts the sockets that tg's process holds; 0 where that cannot be told.
func openSockets(t *testing.T, tg *target) int {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", tg.pid)
	names, err := os.ReadDir(dir)
	if tg.pid == 0 || err != nil {
		return 0
	}
	n := 0
	for _, name := range names {
		if link, _ := os.Readlink(filepath.Join(dir, name.Name())); strings.HasPrefix(link, "socket:") {
			n++
		}
	}
	return n
}

// mustLetGo waits until tg holds no more sockets than it did before.
func mustLetGo(t *testing.T, tg *target, before int) {
	t.Helper()
	end := time.Now().Add(patience)
	for openSockets(t, tg) > before {
		if time.Now().After(end) {
			t.Errorf("%s holds %d sockets, %d before", tg.name, openSockets(t, tg), before)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// output is what a program has printed so far. All methods may be called concurrently.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// announced waits for the line that says where the program listens. To choose the port for it would be a race: with
// another program, and with our own connections, whose ports come from the same range.
func announced(t *testing.T, log *output) (addr string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, rest, ok := strings.Cut(log.String(), "://"); ok {
			if addr, _, ok := strings.Cut(rest, "/"); ok {
				return addr
			}
		}
	}
	t.Fatalf("the program does not come up: %s", log)
	return ""
}
