package http2

import (
	"io"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/internal/wire/peerbudget"
)

// Conn is one end of an HTTP/2 connection. It is not safe for concurrent use.
type Conn struct {
	cfg         *Config // may be shared with other connections
	peer        peerSettings
	client      bool
	state       connFlags
	prefaceRead uint8 // bytes of the preface that were received
	rttQueued   bool  // the PING of rttSent has not been sent yet, as far as OutputSent has told

	err *Error // the error that ended the connection
	out []byte // frames of the connection itself that wait in AppendPending
	now int64

	*workspace              // nil while the connection is parked
	packed     hpack.Packed // state of the decoder while the connection is parked

	streams     table
	active      uint32 // streams that have not ended
	completed   int32  // streams that are complete and not released
	hasty       int32  // streams with flagHasty
	messages    uint32 // DATA and HEADERS frames received, see Messages
	waited      int64  // how long cancelled requests have waited, see cancel.go
	sched       schedule
	budget      peerbudget.Budget
	lastPeer    uint32 // highest stream identifier that the peer has opened
	nextOwn     uint32 // identifier of our next stream
	ourLast     uint32 // last stream of our GOAWAY, or maxStreamID
	peerLast    uint32 // last stream of the peer's GOAWAY, or maxStreamID
	pings       int32  // unanswered PINGs of the owner
	unprocessed int32  // streams above the peer's GOAWAY whose EventReset is still to come
	discarding  int32  // released streams whose rest is still being received, see discard.go
	sendWin     int32
	recv        receiveWindow
	debts       debts
	rtt         int64
	rttSent     int64 // when our own PING was sent; 0 if none is unanswered
	rttNext     int64 // when the round trip is to be measured again
	stallDue    int64 // when a stream may have waited too long for a window; 0 is never
	drainDue    int64 // when Shutdown goes on without an answer to its PING; 0 is never
	discardDue  int64 // when a discarded stream may have taken too long; 0 is never
	headDue     int64 // when the frame or header block that is being received must be complete; 0 is never

	settingsSent, settingsDue int64
}

type connFlags uint16

const (
	connStarted       connFlags = 1 << iota // the peer's first SETTINGS frame has begun
	connShutting                            // Shutdown was called
	connFinal                               // the last stream was announced to the peer
	connGone                                // the peer has sent GOAWAY
	connAcked                               // the peer has acknowledged our SETTINGS
	connWriting                             // a header section is being appended
	connResized                             // the encoder before Park had announced another table size
	connOpening                             // a stream was opened, and its HEADERS were not appended yet
	connGotMaxStreams                       // the peer has sent MAX_CONCURRENT_STREAMS
	connAsked                               // the PING of askProof is unanswered
)

// NewServer returns the server's end of a connection. Its SETTINGS are pending at once: a server need not wait for the
// client's (RFC 9113 §3.4). cfg is kept and must not be modified any more.
func NewServer(cfg *Config, now int64) *Conn { return newConn(cfg, now, false) }

// NewClient returns the client's end of a connection. Its preface and SETTINGS are pending at once. cfg is kept and must
// not be modified any more.
func NewClient(cfg *Config, now int64) *Conn { return newConn(cfg, now, true) }

// IsClient reports whether c is a client's end.
func (c *Conn) IsClient() bool { return c.client }

func newConn(cfg *Config, now int64, client bool) *Conn {
	if !cfg.complete {
		cfg = cfg.Complete()
	}
	c := &Conn{
		cfg: cfg, client: client, now: now, nextOwn: 1, ourLast: maxStreamID, peerLast: maxStreamID, sendWin: defaultWindow,
		peer:         peerSettings{maxStreams: initialStreams, window: defaultWindow, frameSize: minFrameSize, listSize: 1<<32 - 1, tableSize: defaultTableSize},
		budget:       peerbudget.New(cfg.Budget, now),
		settingsSent: now,
	}
	if client {
		c.prefaceRead = uint8(len(Preface))
		c.out = append(c.out, Preface...)
	}
	if cfg.SettingsTimeout > 0 {
		c.settingsDue = now + cfg.SettingsTimeout
	}
	c.out = c.appendSettings(c.out)
	c.recv = receiveWindow{left: defaultWindow, max: int32(cfg.ConnWindow), updatedAt: now}
	if grant := c.recv.max - defaultWindow; grant > 0 {
		c.recv.left = c.recv.max
		c.out = appendWindowUpdate(c.out, 0, uint32(grant))
	}
	return c
}

// The number of streams that a client opens at once before it has the server's SETTINGS, and if those name no limit. RFC
// 9113 §6.5.2 sets no limit then, and recommends that servers allow at least 100.
const (
	initialStreams   = 100
	unboundedStreams = 1000
)

// End reports how the connection ended when the peer has closed its side: it returns io.EOF if nothing was incomplete,
// and io.ErrUnexpectedEOF if a frame or a stream was.
func (c *Conn) End() error {
	cut := c.workspace != nil && (c.frame.left > 0 || c.frame.open || c.block.id != 0)
	if !cut {
		c.streams.each(func(s *Stream) bool {
			cut = s.mayReceive() && !s.has(flagDiscard) || c.client && s.state != StateClosed
			return !cut
		})
	}
	if cut || int(c.prefaceRead) < len(Preface) {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}

// AppendPending appends the frames of the connection itself: acknowledgements, window updates, resets, GOAWAY.
func (c *Conn) AppendPending(dst []byte) []byte {
	if len(c.out) > 0 {
		dst = append(dst, c.out...)
		c.out = c.out[:0]
	}
	return dst
}

// Pending reports whether AppendPending has anything to append.
func (c *Conn) Pending() bool { return len(c.out) > 0 }

// fail ends the connection with an error of the peer. GOAWAY is the last frame that is sent.
func (c *Conn) fail(err *Error) { c.failWith(err, err.Msg) }

func (c *Conn) failWith(err *Error, debug string) {
	if c.err != nil {
		return
	}
	c.err = err
	c.out = appendGoAway(c.out, min(c.lastPeer, c.ourLast), err.Code, debug)
	c.settingsDue, c.stallDue, c.drainDue, c.headDue, c.discardDue = 0, 0, 0, 0, 0
}

// Fail ends the connection on behalf of the owner. GOAWAY is the last frame in AppendPending; debug is text for the
// people at the other end. Nothing is received or sent after that.
func (c *Conn) Fail(code ErrCode, debug string) {
	c.failWith(local(code, "RFC 9113 §5.4.1", "ended by this side"), debug)
}

// Err returns the error that ended the connection, which Next and Tick return; nil if it has not ended.
func (c *Conn) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// checkPending reports whether n more bytes that the peer asked for may be pending, and ends the connection if not.
func (c *Conn) checkPending(n int) bool {
	if c.err == nil && len(c.out)+n > int(c.cfg.MaxPending) {
		c.fail(errPending)
	}
	return c.err == nil
}

// Trim releases memory that is not needed while there are no streams.
func (c *Conn) Trim() {
	if len(c.out) == 0 {
		c.out = nil
	}
	if c.workspace != nil {
		if c.block.id == 0 {
			c.block.reset()
		}
		c.decoder.Trim()
	}
	c.streams.trim()
	c.sched.trim()
}

// PeerMaxStreams returns how many streams a client may have open at once.
func (c *Conn) PeerMaxStreams() uint32 { return c.peer.maxStreams }

// PeerMaxHeaderList returns the largest header section that the peer accepts.
func (c *Conn) PeerMaxHeaderList() uint32 { return c.peer.listSize }

// PeerConnectProtocol reports whether the server supports extended CONNECT (RFC 8441 §3).
func (c *Conn) PeerConnectProtocol() bool { return c.peer.connect }

// SendWindow returns how many bytes of DATA the connection's window lets through now.
func (c *Conn) SendWindow() int { return int(c.sendWin) }

// Stream returns the stream with the identifier, nil if there is none or the owner has released it.
func (c *Conn) Stream(id uint32) *Stream {
	if s := c.streams.find(id); s != nil && !s.has(flagDiscard) {
		return s
	}
	return nil
}

// Streams calls yield for every stream that was not released, in no particular order. The connection must not be changed
// meanwhile.
func (c *Conn) Streams(yield func(*Stream) bool) {
	c.streams.each(func(s *Stream) bool { return s.has(flagDiscard) || yield(s) })
}

// Messages counts the DATA and HEADERS frames that were received, modulo 2^32.
func (c *Conn) Messages() uint32 { return c.messages }

// Len returns the number of streams that were not released.
func (c *Conn) Len() int { return int(c.streams.n) - int(c.discarding) }
