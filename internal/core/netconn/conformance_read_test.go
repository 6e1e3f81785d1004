package netconn_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Read copies what is unread, as far as it fits. When that is taken it waits for more, and never returns 0 bytes without
// an error. It ends with the stream.
func TestPulledRead(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "ahead")
		p := make([]byte, 3)
		read := func(want string, fails error) {
			t.Helper()
			n, err := c.Read(p)
			if got := string(p[:n]); got != want || err != fails {
				t.Errorf("Read: %q and %v, want %q and %v", got, err, want, fails)
			}
		}
		read("ahe", nil)
		read("ad", nil)
		if n, err := c.Read(nil); n != 0 || err != nil {
			t.Errorf("Read of nothing: %d, %v", n, err)
		}
		go talk.Conn.Write([]byte("x"))
		read("x", nil)
		talk.HalfClose()
		read("", io.EOF)
		c.Finish(netconn.ErrDone)
	})
}

// ErrSlow is a timeout as net.Error defines it.
func TestErrSlowIsATimeout(t *testing.T) {
	var nerr net.Error
	//lint:ignore SA1019 users ask
	if !errors.As(netconn.ErrSlow, &nerr) || !nerr.Timeout() || nerr.Temporary() {
		t.Errorf("%v is not a timeout, or is temporary", nerr)
	}
}

// A transport whose Read returns nothing is read again.
func TestReadOfNothing(t *testing.T) {
	for name, read := range map[string]func(c *netconn.Pulled) (string, error){
		"Fill": func(c *netconn.Pulled) (string, error) {
			b, err := c.Fill()
			return string(b), err
		},
		"Read": func(c *netconn.Pulled) (string, error) {
			p := make([]byte, 10)
			n, err := c.Read(p)
			return string(p[:n]), err
		},
	} {
		near, far := net.Pipe()
		e := netconn.New(netconn.Config{})
		c, err := e.Pull(&hesitant{Conn: near, times: 3}, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		go far.Write([]byte("x"))
		if got, err := read(c); got != "x" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		_ = far.Close()
		c.Finish(netconn.ErrDone)
		_ = e.Close()
	}
}

// What cannot be sent is not posted.
func TestPostFails(t *testing.T) {
	near, far := net.Pipe()
	e := netconn.New(netconn.Config{})
	defer e.Close()
	c, err := e.Pull(near, nil, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetWriteDeadline(time.Unix(1, 0)) // makes the next sender fail
	shared := bufpool.Share([]byte("x"))
	if ok, err := c.PostShared(netconn.Whole, shared); ok || !errors.Is(err, netconn.ErrSlow) {
		t.Errorf("PostShared: %v, %v", ok, err)
	}
	if ok, err := c.Post(netconn.Whole, []byte("x")); ok || !errors.Is(err, netconn.ErrSlow) {
		t.Errorf("Post: %v, %v", ok, err)
	}
	shared.Release()
	_ = far.Close()
	c.Finish(netconn.ErrDone)
}

// If a peer sends more than a buffer holds, larger pieces are read, up to inbuf.MaxSize, and nothing is lost.
func TestBuffersGrow(t *testing.T) {
	const all = 256 << 10
	onEvery(t, func(t *testing.T, k kind) {
		sum, largest := 0, 0
		done := make(chan int, 1)
		r := serve(t, k, netconn.Config{}, func(c *netconn.Conn, in []byte) (int, error) {
			for i, b := range in {
				if b != byte((sum+i)%251) {
					t.Errorf("byte %d is %d", sum+i, b)
					return 0, netconn.ErrAbort
				}
			}
			sum += len(in)
			largest = max(largest, len(in))
			if sum == all {
				done <- largest
			}
			return len(in), nil
		})
		talk := r.dial()
		p := make([]byte, all)
		for i := range p {
			p[i] = byte(i % 251)
		}
		talk.Send(string(p))
		switch n := within(t, "all of it", done); {
		case n > 64<<10:
			t.Errorf("up to %d bytes at once", n)
		case n < 16<<10 && isLatched(k):
			t.Errorf("no more than %d bytes at once", n)
		}
	})
}
