package netconn_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// What other goroutines append while a file is being sent leaves after it, even if nothing is written or flushed any more.
func TestAppendedDuringSendFile(t *testing.T) {
	const size = 32 << 20
	name := filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	onSome(t, func(k kind) bool { return isLatched(k) && !k.tls }, func(t *testing.T, k kind) {
		conns := make(chan *netconn.Conn, 1)
		r := serve(t, k, netconn.Config{MinWriteRate: -1}, lines(func(c *netconn.Conn, _ string) error {
			conns <- c
			return nil
		}))
		talk := r.dial()
		talk.Send("file\n")
		c := within(t, "the connection", conns)
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		sent := make(chan error, 1)
		go func() {
			_, err := c.ReadFrom(f)
			sent <- err
		}()
		netconn.WaitUntilBlocked(t, "IO wait", "(*Output).sendDescriptor")
		if _, err := c.Write([]byte("tail\n")); err != nil {
			t.Fatal(err)
		}
		if netconn.Pending(&c.Link) != len("tail\n") {
			t.Fatal("the file is not on its way: the test shows nothing")
		}
		if _, err := io.CopyN(io.Discard, talk.Conn, size); err != nil {
			t.Fatal(err)
		}
		if err := within(t, "ReadFrom", sent); err != nil {
			t.Errorf("ReadFrom: %v", err)
		}
		talk.Want("tail\n")
	})
}

// Regular files that the kernel cannot send directly are copied; those of /proc have size 0, too.
func TestReadFromProc(t *testing.T) {
	const name = "/proc/self/cmdline"
	content, err := os.ReadFile(name)
	if err != nil || len(content) < 5 {
		t.Skipf("%s: %q, %v", name, content, err)
	}
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			src := io.Reader(f)
			if line == "part" {
				src = io.LimitReader(f, 5)
			}
			if err := echo(c, line); err != nil {
				return err
			}
			n, err := c.ReadFrom(src)
			if err != nil {
				return err
			}
			return echo(c, "\n"+strconv.FormatInt(n, 10))
		}))
		talk := r.dial()
		talk.Send("all\npart\n")
		talk.Want("all\n" + string(content) + "\n" + strconv.Itoa(len(content)) + "\n")
		talk.Want("part\n" + string(content[:5]) + "\n5\n")
	})
}
