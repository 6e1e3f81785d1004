package memconn

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A connection in memory keeps the rules of a net.Conn about ends and deadlines.
func TestConn(t *testing.T) {
	a, b := Pair()
	a.Write([]byte("Hello"))
	a.CloseWrite()
	if p, err := io.ReadAll(b); string(p) != "Hello" || err != nil {
		t.Errorf(`got %q, %v; want "Hello"`, p, err)
	}
	if _, err := a.Write([]byte("more")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write after CloseWrite: %v", err)
	}
	b.SetDeadline(time.Now().Add(-time.Second))
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read after its deadline: %v", err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write after its deadline: %v", err)
	}
	b.SetDeadline(time.Time{})
	waiting := make(chan error, 1)
	go func() {
		_, err := a.Read(make([]byte, 1))
		waiting <- err
	}()
	a.Close()
	if err := <-waiting; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a read that Close ends: %v", err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a write after the other end has closed: %v", err)
	}
	b.Close()
}

// Each end has a name, and the other's as its peer's.
func TestAddresses(t *testing.T) {
	a, b := Pair()
	for _, c := range []struct {
		got  net.Addr
		want string
	}{{a.LocalAddr(), "client"}, {a.RemoteAddr(), "server"}, {b.LocalAddr(), "server"}, {b.RemoteAddr(), "client"}} {
		if c.got.String() != c.want || c.got.Network() != "memory" {
			t.Errorf("%v of %s, want %s", c.got, c.got.Network(), c.want)
		}
	}
}

// A write waits while Buffer bytes have not been read, and what was written arrives in order.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		all := make([]byte, 3*Buffer/2)
		for i := range all {
			all[i] = byte(i / 1000)
		}
		written := false
		go func() {
			a.Write(all)
			a.CloseWrite()
			written = true
		}()
		synctest.Wait()
		if written {
			t.Error("a write beyond the buffer has not waited")
		}
		part := make([]byte, Buffer/3)
		n, _ := b.Read(part)
		rest, err := io.ReadAll(b)
		if got := append(part[:n], rest...); err != nil || !bytes.Equal(got, all) {
			t.Errorf("%d bytes of %d arrived, %v", len(got), len(all), err)
		}
	})
}

// What waits is woken by a deadline that comes, and one that is moved or taken away does not come.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := Pair()
		a.Write(make([]byte, Buffer))
		read := func() error { _, err := a.Read(make([]byte, 1)); return err }
		write := func() error { _, err := a.Write([]byte("x")); return err }
		for name, c := range map[string]struct {
			set  func(time.Time) error
			wait func() error
		}{"read": {a.SetReadDeadline, read}, "write": {a.SetWriteDeadline, write}} {
			for end, later := range map[string]func(){"kept": func() {}, "moved": func() { c.set(time.Now().Add(time.Hour)) }, "now": func() { c.set(time.Now()) }} {
				begin := time.Now()
				c.set(begin.Add(time.Minute))
				time.AfterFunc(time.Second, later)
				err := c.wait()
				want := map[string]time.Duration{"kept": time.Minute, "moved": time.Hour + time.Second, "now": time.Second}[end]
				if took := time.Since(begin); !errors.Is(err, os.ErrDeadlineExceeded) || took != want {
					t.Errorf("%s, %s: %v after %v, want %v", name, end, err, took, want)
				}
			}
			c.set(time.Now().Add(time.Minute))
			c.set(time.Time{})
			var err error
			go func() { err = c.wait() }()
			time.Sleep(time.Hour)
			if err != nil {
				t.Errorf("%s: %v without a deadline", name, err)
			}
		}
		a.Close()
	})
}

// Writes of several goroutines do not mix, also when they have to wait.
func TestWritesDoNotMix(t *testing.T) {
	a, b := Pair()
	const size = 2 * Buffer / 3
	for i := range 3 {
		go a.Write(bytes.Repeat([]byte{byte(i)}, size))
	}
	got := make([]byte, 3*size)
	if _, err := io.ReadFull(b, got); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != got[i/size*size] {
			t.Fatalf("another write begins at byte %d", i)
		}
	}
}

// A reader that waits learns of bytes and of the end, and what was written before Close is read first.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		first := make([]byte, 9)
		n := 0
		go func() { n, _ = b.Read(first) }()
		synctest.Wait()
		a.Write([]byte("first"))
		synctest.Wait()
		if string(first[:n]) != "first" {
			t.Errorf("%q", first[:n])
		}
		var got []byte
		var err error
		go func() { got, err = io.ReadAll(b) }()
		synctest.Wait()
		a.Write([]byte("last"))
		a.Close()
		synctest.Wait()
		if string(got) != "last" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}
