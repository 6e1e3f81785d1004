package transport

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// Read returns what has arrived, in order, and then io.EOF.
func TestReadGivesWhatCame(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		p.tell(t, "one")
		p.read(t, "one")
		if n := p.c.Received(3); p.tls == without && n != 3 || isLayer(p.variant) && n < 3+16 {
			t.Errorf("Received returned %d", n)
		}
		p.tell(t, "two, and ")
		p.tell(t, "three")
		p.read(t, "two, and three")
		_ = p.far.Close()
		if n, err := p.c.Read(make([]byte, 8)); n != 0 || err != io.EOF {
			t.Errorf("at the end: %d, %v", n, err)
		}
	})
}

// hollow is a net.Conn that reads nothing, without an error, a number of times before each read that returns something.
type hollow struct {
	net.Conn
	empty, left int
}

func (h *hollow) Read(p []byte) (int, error) {
	if h.left > 0 {
		h.left--
		return 0, nil
	}
	h.left = h.empty
	return h.Conn.Read(p)
}

// Read tolerates many reads in a row that return nothing.
func TestReadToleratesEmptyReads(t *testing.T) {
	for _, k := range []variant{{network: "pipe"}, {network: "pipe", tls: server}} {
		near, far := connect(t, k)
		c := new(Conn)
		h := &hollow{Conn: near, empty: emptyReads - 1}
		c.Init(h, true)
		if c.Socket() {
			t.Error("a type that embeds a connection is used by its descriptor")
		}
		if k.tls == server {
			c.Secure(tlsServer, serverConfig())
			far = shakeHands(t, c.Handshake, tlsClient(far, clientConfig()))
		}
		for range 3 {
			_, _ = far.Write([]byte("word"))
			if n, err := c.Read(make([]byte, 8)); n != 4 || err != nil {
				t.Errorf("after %d empty reads: %d, %v", h.empty, n, err)
			}
		}
		_ = far.Close()
		c.Close()
	}
}

// Read fails with io.ErrNoProgress after too many reads in a row that return nothing.
func TestReadGivesUp(t *testing.T) {
	near, far := connect(t, variant{network: "pipe"})
	defer far.Close()
	c := new(Conn)
	h := &hollow{Conn: near, left: emptyReads}
	c.Init(h, false)
	defer c.Close()
	_, _ = far.Write([]byte("word"))
	if n, err := c.Read(make([]byte, 8)); n != 0 || err != io.ErrNoProgress {
		t.Errorf("after %d empty reads: %d, %v", emptyReads, n, err)
	}
	if n, err := c.Read(make([]byte, 8)); n != 4 || err != nil {
		t.Errorf("the next read: %d, %v", n, err)
	}
}

// together is a net.Conn whose Read brings its last bytes together with the error.
type together struct {
	net.Conn
	err error
}

func (c together) Read(p []byte) (int, error) { return copy(p, "last"), c.err }

// Read returns bytes that come together with an error.
func TestReadGivesBytesTogetherWithAnError(t *testing.T) {
	near, far := connect(t, variant{network: "pipe"})
	defer far.Close()
	c := new(Conn)
	c.Init(together{near, io.EOF}, false)
	defer c.Close()
	if n, err := c.Read(make([]byte, 8)); n != 4 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
}

// TimedOut knows the timeouts of every kind of error.
func TestTimedOut(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{io.EOF, false},
		{net.ErrClosed, false},
		{os.ErrDeadlineExceeded, true},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, true},
		{odd{timeout: true}, true},
		{odd{}, false},
		{errors.Join(io.EOF, odd{timeout: true}), true},
		{wouldBlock{}, true},
	} {
		if got := TimedOut(tc.err); got != tc.want {
			t.Errorf("%v: %v", tc.err, got)
		}
	}
}

// odd is an error of unknown kind of a net.Conn.
type odd struct{ timeout bool }

func (odd) Error() string   { return "odd" }
func (e odd) Timeout() bool { return e.timeout }
func (odd) Temporary() bool { return false }

// A Conn tells how it can be used.
func TestWhatItIs(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		c := p.c
		if c.Socket() != p.raw || c.Brittle() != (p.tls == foreign) || c.Secured() != isLayer(p.variant) {
			t.Errorf("Socket %v, Brittle %v, Secured %v", c.Socket(), c.Brittle(), c.Secured())
		}
		if p.tls != foreign && c.Below() != p.near {
			t.Errorf("Below is a %T", c.Below())
		}
		if c.Cleartext() != p.near || c.NeedsHandshake() != (p.tls == foreign) {
			t.Errorf("Cleartext is a %T, NeedsHandshake %v", c.Cleartext(), c.NeedsHandshake())
		}
		if (c.State() != nil) != (p.tls != without) {
			t.Error("State: ", c.State())
		}
		if s := c.State(); s != nil && !s.HandshakeComplete {
			t.Error("State does not know of the handshake")
		}
		if nc := c.NetConn(); nc.LocalAddr() != p.near.LocalAddr() || nc.RemoteAddr() != p.near.RemoteAddr() {
			t.Errorf("NetConn has the addresses %v and %v", nc.LocalAddr(), nc.RemoteAddr())
		}
		if p.tls == without && c.NetConn() != p.near {
			t.Errorf("NetConn is a %T", c.NetConn())
		}
		if c.Halves() != isLasting(p.variant) && p.tls != foreign {
			t.Errorf("Halves is %v", c.Halves())
		}
		if p.tls == without && (c.Buffered() || c.TLSWrote() || c.Unsent()) {
			t.Error("a method reports TLS on a connection without TLS")
		}
		c.TrimInput()
		c.Trim()
		p.tell(t, "it still works")
		p.read(t, "it still works")
		p.send(t, "both ways")
		p.hear(t, "both ways")
	})
}

// A deadline that a program sets on the connection itself ends a read, is not taken for a wake, and stays.
func TestForeignDeadline(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		_ = p.c.NetConn().SetReadDeadline(time.Unix(1, 0))
		for range 2 {
			if n, err := p.c.Read(make([]byte, 8)); n != 0 || !TimedOut(err) {
				t.Fatalf("read %d, %v; want a timeout", n, err)
			}
			if p.c.ReaderWoken() {
				t.Fatal("a foreign deadline counted as a wake")
			}
		}
		p.c.WakeWriter()
		if got := p.c.WriterWoken(); got != (p.tls != foreign) {
			t.Errorf("WriterWoken: %v", got)
		}
		if _, err := p.c.Read(make([]byte, 8)); !TimedOut(err) {
			t.Errorf("taking the writer's mark back has taken the reader's deadline away: %v", err)
		}
		_ = p.c.NetConn().SetReadDeadline(time.Time{})
		p.tell(t, "on")
		p.read(t, "on")
	})
}

// A write deadline that a program sets on the connection itself ends a Send with a timeout, and is not taken for a wake.
func TestForeignWriteDeadline(t *testing.T) {
	onSome(t, isLasting, func(t *testing.T, p *pair) {
		_ = p.c.NetConn().SetWriteDeadline(time.Unix(1, 0))
		b := Batch{A: []byte("no wait")}
		if _, err := p.c.TrySend(&b, NoDescriptor, false); err != nil || p.raw != b.Empty() {
			t.Errorf("TrySend: %v, %d left; it does not wait", err, b.Size())
		} else if p.raw {
			p.hear(t, "no wait")
		}
		b = Batch{A: []byte("word")}
		for range 2 {
			if n, err := p.c.Send(&b, false); n != 0 || !TimedOut(err) {
				t.Fatalf("sent %d, %v; want a timeout", n, err)
			}
			if p.c.WriterWoken() {
				t.Fatal("a foreign deadline counted as a wake")
			}
		}
		p.c.WakeReader()
		if !p.c.ReaderWoken() {
			t.Error("the wake is not known")
		}
		if _, err := p.c.Send(&b, false); !TimedOut(err) {
			t.Errorf("taking the reader's mark back has taken the writer's deadline away: %v", err)
		}
		_ = p.c.NetConn().SetWriteDeadline(time.Time{})
		if _, err := p.c.Send(&b, false); err != nil {
			t.Error(err)
		}
		p.hear(t, "word")
	})
}
