package tcpmux_test

import (
	"bytes"
	"io"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// small is a session whose window eight channels fill.
var small = tcpmux.Config{SessionWindow: 256 << 10, Window: 32 << 10}

// fill opens n channels in which more is sent than the other side's window holds, and waits until that is full. Nobody
// receives anything of them.
func (r *rig) fill(a, b *tcpmux.Session, n int) {
	r.Helper()
	for range n {
		c, _ := r.channel(a, b, "")
		go func() {
			for c.Send(r.ctx, make([]byte, 5000)) == nil {
			}
		}()
	}
	waits(r, "the window to be full", func() bool { return b.Stats().Buffered > 250<<10 })
}

// A channel whose messages are received goes on while others are full, in both directions.
func TestReadChannelsPassUnreadOnes(t *testing.T) {
	r := newRig(t, small)
	a, b := r.session(small)
	before, far := r.channel(a, b, "before")
	go echo(far, 1<<20)
	r.fill(a, b, 20)
	r.fill(b, a, 20)
	after, far := r.channel(a, b, "after")
	go echo(far, 1<<20)
	for k, size := range []int{10, 5000, 100_000, 1 << 20, 0, 100_000} {
		if k == 3 {
			r.p.cut()
		}
		for _, c := range []*tcpmux.Channel{before, after} {
			p := bytes.Repeat([]byte{byte('a' + k)}, size)
			r.send(c, string(p))
			r.want(c, string(p))
		}
	}
	if n := b.Stats().Buffered; n > 2*256<<10+22<<10+2*16<<20 {
		t.Errorf("%d bytes are held", n)
	}
}

// A stream that is read goes on while others are full and not read.
func TestStreamsPassUnreadOnes(t *testing.T) {
	r := newRig(t, small)
	a, b := r.session(small)
	l := b.Listener()
	dial := func() (near, far net.Conn) {
		t.Helper()
		near, err := a.DialContext(r.ctx, "tcp", "")
		if err != nil {
			t.Fatal(err)
		}
		if far, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		return near, far
	}
	for range 20 {
		near, _ := dial()
		go io.Copy(near, endless{})
	}
	waits(t, "the window to be full", func() bool { return b.Stats().Buffered > 250<<10 })
	near, far := dial()
	want := bytes.Repeat([]byte("0123456789"), 300_000)
	go near.Write(want)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, right: %v", err, bytes.Equal(got, want))
	}
}

// endless reads as zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
