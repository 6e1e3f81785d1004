package transport

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// layer is what stands between a tls.Conn and the net.Conn below it. While a Conn runs it, Decrypt and Read give the
// tls.Conn what has been received, and what it writes is kept for who sends. While nobody does, before Init and after
// GiveAway, it hands everything on.
//
// Reading is the reader's, sending the sender's. What the tls.Conn writes comes from either: from the sender, whose bytes
// it encrypts, and amid a read when TLS itself has something to say.
type tlsLayer struct {
	owner *Conn // nil if nobody does
	conn  *tls.Conn
	below net.Conn
	ready bool // the handshake is done

	in        []byte // in[r:w] has been received and not been read by the tls.Conn yet; leased; the reader's
	r, w      int
	noWait    bool // Read does not wait; the reader's
	wireBytes int  // bytes received since Received; the reader's
	belowEOF  bool // below has come to its end before TLS has; the reader's

	sending       []byte // encrypted, and being sent; leased; the sender's
	sent          int    // of leaving; the sender's
	closeNotified bool   // the closing alert has been written; the sender's

	mu         sync.Mutex
	out        []byte      // encrypted, to be sent next; leased
	ownOutput  int         // of out, what TLS itself has said
	partlySent bool        // leaving has not left whole: out must not go before the rest
	encrypting bool        // the sender encrypts: what comes is not TLS's own
	wroteOwn   atomic.Bool // TLS itself has said something
}

// Record is how much is encrypted or received at a time: a whole record of TLS (RFC 8446 §5.1).
const Record = 16 << 10

const (
	maxEncrypted = 64 << 10 // from so much that is encrypted on it is sent before more is
	maxOwnOutput = 64 << 10 // how much TLS itself may say to a peer that does not listen
)

// Secure puts TLS, of the side that wrap gives it, on c. Handshake is called next.
func (c *Conn) Secure(wrap func(net.Conn, *tls.Config) *tls.Conn, cfg *tls.Config) {
	l := &tlsLayer{owner: c, below: c.nc}
	l.conn = wrap(l, cfg)
	c.tls = l
}

// Client is tls.Client for a connection that Init will be given. Until then it is a tls.Conn as any other. nc must not be
// over TLS itself: the inner tls.Conn could go on after a deadline has cut a write, the outer could not.
func Client(nc net.Conn, cfg *tls.Config) *tls.Conn {
	if cfg.Renegotiation != tls.RenegotiateNever {
		return tls.Client(nc, cfg) // a handshake amid a read, which cannot wait inside the latch
	}
	l := &tlsLayer{below: nc}
	l.conn = tls.Client(l, cfg)
	return l.conn
}

// idleLayer returns the layer below nc if nc is a tls.Conn on one that nobody runs: of Client, or given away.
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

// Secured reports whether the connection is over TLS.
func (c *Conn) Secured() bool { return c.tls != nil }

// wouldBlock is what reading says when more must be received first. It is temporary, which keeps crypto/tls from holding
// it against the connection for ever.
type wouldBlock struct{}

func (wouldBlock) Error() string   { return "transport: reading would block" }
func (wouldBlock) Timeout() bool   { return true }
func (wouldBlock) Temporary() bool { return true }

// WouldBlock reports whether err is Decrypt's word for "receive more".
func WouldBlock(err error) bool {
	_, ok := err.(wouldBlock)
	return ok
}

// Decrypt reads into p what the tls.Conn can make of the bytes received so far.
func (c *Conn) Decrypt(p []byte) (int, error) {
	c.tls.noWait = true
	n, err := c.tls.conn.Read(p)
	c.tls.noWait = false
	return n, err
}

// Tear says that what is received below TLS has come to its end. The next Decrypt says what the tls.Conn makes of that:
// io.EOF, or io.ErrUnexpectedEOF amid a record. It is the reader's.
func (c *Conn) EndInput() { c.tls.belowEOF = true }

// Torn reports whether TLS has ended without a closing alert (RFC 8446 §6.1): somebody on the path may have cut it. It is the
// reader's.
func (c *Conn) Truncated() bool { return c.tls != nil && c.tls.belowEOF }

// Ciphertext returns where bytes are to be received that Decrypt will read. Arrived says how many there are.
func (c *Conn) Ciphertext() []byte { return c.tls.space() }

// CiphertextHeld is Ciphertext without leasing a buffer: nil if there is none yet.
func (c *Conn) CiphertextHeld() []byte {
	if c.tls.in == nil {
		return nil
	}
	return c.tls.space()
}

// Arrived says that n bytes have been received into what Ciphertext returned, or, where CiphertextHeld was nil, into
// fresh, a lease of Record bytes that is the Conn's from now on.
func (c *Conn) Arrived(fresh []byte, n int) {
	if c.tls.in == nil {
		c.tls.in = fresh
	}
	c.tls.w += n
}

// Buffered reports whether bytes have been received that Decrypt has not read.
func (c *Conn) Buffered() bool { return c.tls != nil && c.tls.r < c.tls.w }

// TrimInput gives the buffer of Ciphertext back if it holds nothing.
func (c *Conn) TrimInput() {
	if c.tls != nil {
		c.tls.trim()
	}
}

// Received returns how many bytes the net.Conn has brought since the last call, of which the last Read, over TLS, has
// made n.
func (c *Conn) Received(n int) int {
	if c.tls == nil {
		return n
	}
	n, c.tls.wireBytes = c.tls.wireBytes, 0
	return n
}

// Spoke tells, once, that TLS itself has said something, which Unsent tells of until it is sent. Whoever has read asks.
func (c *Conn) TLSWrote() bool {
	return c.tls != nil && c.tls.wroteOwn.Load() && c.tls.wroteOwn.Swap(false)
}

func (l *tlsLayer) Read(p []byte) (int, error) {
	if l.r < l.w {
		n := copy(p, l.in[l.r:l.w])
		l.r += n
		l.trim()
		return n, nil
	}
	if l.owner == nil {
		return l.below.Read(p)
	}
	if l.belowEOF {
		return 0, io.EOF
	}
	if l.noWait {
		return 0, wouldBlock{}
	}
	n, err := l.below.Read(p)
	l.wireBytes += n
	l.belowEOF = err == io.EOF
	return n, err
}

// space returns where to receive to.
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

// trim gives the buffer back if it holds nothing.
func (l *tlsLayer) trim() {
	if l.in != nil && l.r == l.w {
		bufpool.Put(l.in)
		l.in, l.r, l.w = nil, 0, 0
	}
}

// Close is a hook's: the Conn that runs l is told by its reads and writes, which fail from now on.
func (l *tlsLayer) Close() error {
	if l.owner == nil {
		return l.below.Close()
	}
	l.closeBelow()
	return nil
}

func (l *tlsLayer) LocalAddr() net.Addr  { return l.below.LocalAddr() }
func (l *tlsLayer) RemoteAddr() net.Addr { return l.below.RemoteAddr() }

func (l *tlsLayer) SetDeadline(t time.Time) error     { return l.below.SetDeadline(t) }
func (l *tlsLayer) SetReadDeadline(t time.Time) error { return l.below.SetReadDeadline(t) }

// SetWriteDeadline is a hook's. The ones that the tls.Conn itself sets for its closing alert, of which the last has passed
// when it is set, are not for the connection below, where that alert and other bytes are on their way.
func (l *tlsLayer) SetWriteDeadline(t time.Time) error {
	l.mu.Lock()
	own := l.encrypting || l.ownOutput > 0 && !t.IsZero() && !t.After(time.Now())
	l.mu.Unlock()
	if own {
		return nil
	}
	return l.below.SetWriteDeadline(t)
}
