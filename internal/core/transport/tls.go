package transport

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// tlsLayer is the net.Conn between a tls.Conn and the net.Conn below it. While a Conn owns it, Decrypt and Read pass
// received bytes to the tls.Conn, and what the tls.Conn writes is kept for the sender. Without an owner, before Init
// and after GiveAway, it passes everything on.
//
// The reader's and the sender's fields belong to those goroutines. Both make the tls.Conn write: the sender, whose data
// it encrypts, and the reader, when TLS itself sends something during a read.
type tlsLayer struct {
	owner         *below // of the Conn that owns it; nil if none does
	conn          *tls.Conn
	SocketMethods      // of the connection below
	ready         bool // the handshake is complete

	in        []byte // in[r:w] has been received and the tls.Conn has not read it; from the pool; the reader's
	r, w      int
	noWait    bool          // Read must not wait; the reader's
	wireBytes int           // bytes received since the last call of Received; the reader's
	belowEOF  bool          // below has ended before TLS has; the reader's
	records   recordCounter // the reader's

	sending       []byte // encrypted data being sent; from the pool; the sender's
	sent          int    // how much of sending has been sent; the sender's
	closeNotified bool   // the closing alert has been written; the sender's

	mu         sync.Mutex
	out        []byte      // encrypted data to send next; from the pool
	ownOutput  int         // size of TLS's own output in out
	partlySent bool        // sending has not been sent completely: out must not be sent before the rest
	encrypting bool        // the sender encrypts: what the tls.Conn writes is not TLS's own output
	wroteOwn   atomic.Bool // TLS has written output of its own
}

// Record is how much is encrypted or received at a time: a whole TLS record (RFC 8446 §5.1).
const Record = 16 << 10

const (
	maxEncrypted = 64 << 10 // encrypted data of this size is sent before more is encrypted
	maxOwnOutput = 64 << 10 // limit of TLS's own output for a peer that does not read
)

// Secure adds a TLS layer to c; wrap is tls.Client or tls.Server. Handshake must be called next.
func (c *Conn) Secure(wrap func(net.Conn, *tls.Config) *tls.Conn, cfg *tls.Config) {
	l := &tlsLayer{owner: &c.below, SocketMethods: SocketMethods{c.nc}}
	l.conn = wrap(l, cfg)
	c.tls = l
}

// Client is tls.Client for a connection that will be passed to Init. Until then the result is an ordinary tls.Conn. nc
// must not be a TLS connection itself: after a deadline has cut a write, the inner tls.Conn could continue but the
// outer could not.
func Client(nc net.Conn, cfg *tls.Config) *tls.Conn {
	if cfg.Renegotiation != tls.RenegotiateNever {
		return tls.Client(nc, cfg) // renegotiation is a handshake during a read, which cannot wait inside the latch
	}
	l := &tlsLayer{SocketMethods: SocketMethods{nc}}
	l.conn = tls.Client(l, cfg)
	return l.conn
}

// idleLayer returns the tlsLayer below nc if nc is a tls.Conn on one without an owner.
func idleLayer(nc net.Conn) *tlsLayer {
	tc, ok := nc.(*tls.Conn)
	if !ok {
		return nil
	}
	l, ok := tc.NetConn().(*tlsLayer)
	if !ok || l.owner != nil || !tc.ConnectionState().HandshakeComplete {
		return nil
	}
	return l
}

// wouldBlock is the error of a read that needs more received bytes. It is temporary, so that crypto/tls does not make
// it permanent.
type wouldBlock struct{}

func (wouldBlock) Error() string   { return "transport: reading would block" }
func (wouldBlock) Timeout() bool   { return true }
func (wouldBlock) Temporary() bool { return true }

// WouldBlock reports whether err means that Decrypt needs more received bytes.
func WouldBlock(err error) bool {
	_, ok := err.(wouldBlock)
	return ok
}

func (l *tlsLayer) Read(p []byte) (int, error) {
	if l.r < l.w {
		n := 0
		if len(p) > 0 {
			n = copy(p, l.in[l.r:l.r+l.records.most(l.in[l.r:min(l.w, l.r+len(p))])])
		}
		l.r += n
		l.trim()
		return n, nil
	}
	if l.owner == nil {
		n, err := l.Below.Read(p)
		l.records.count(p[:n])
		return n, err
	}
	if l.belowEOF {
		return 0, io.EOF
	}
	if l.noWait {
		return 0, wouldBlock{}
	}
	n, err := l.Below.Read(p)
	l.records.count(p[:n])
	l.wireBytes += n
	l.belowEOF = err == io.EOF
	return n, err
}

// space returns the space for the next receive.
func (l *tlsLayer) space() []byte {
	if l.in == nil {
		l.in = bufpool.Get(Record)
		l.in = l.in[:cap(l.in)]
	}
	if l.r == l.w {
		l.r, l.w = 0, 0
	}
	return l.in[l.w:]
}

// trim releases the buffer if it is empty.
func (l *tlsLayer) trim() {
	if l.in != nil && l.r == l.w {
		bufpool.Put(l.in)
		l.in, l.r, l.w = nil, 0, 0
	}
}

// Close is called if a callback of the tls.Config closes the tls.Conn. The reads and writes of the owner fail from then
// on.
func (l *tlsLayer) Close() error {
	if l.owner == nil {
		return l.Below.Close()
	}
	l.closeBelow()
	return nil
}

// NetConn returns the connection below, which tls.Conn's NetConn returns without this layer.
func (l *tlsLayer) NetConn() net.Conn { return l.Below }

func (l *tlsLayer) LocalAddr() net.Addr  { return l.Below.LocalAddr() }
func (l *tlsLayer) RemoteAddr() net.Addr { return l.Below.RemoteAddr() }

func (l *tlsLayer) SetDeadline(t time.Time) error     { return l.Below.SetDeadline(t) }
func (l *tlsLayer) SetReadDeadline(t time.Time) error { return l.Below.SetReadDeadline(t) }

// SetWriteDeadline is called by callbacks of the tls.Config, and by the tls.Conn itself around its closing alert. The
// latter calls are ignored; the last of them sets a deadline that has passed: the connection below is still sending
// the alert and other data.
func (l *tlsLayer) SetWriteDeadline(t time.Time) error {
	l.mu.Lock()
	own := l.encrypting || l.ownOutput > 0 && !t.IsZero() && !t.After(time.Now())
	l.mu.Unlock()
	if own {
		return nil
	}
	return l.Below.SetWriteDeadline(t)
}
