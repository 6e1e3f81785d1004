package http2

import (
	"io"

	"github.com/shockwave-go/shockwave/hpack"
)

// Conn is one end of a connection. Nothing of it may be used by two goroutines at once.
type Conn struct {
	cfg    *Config // others may share it
	peer   peerSettings
	client bool
	state  connFlags
	seen   uint8 // bytes of the preface

	err *Error // what ended the connection
	out []byte // what we have to say by ourselves
	now int64

	*workspace              // nil of one that is Parked
	packed     hpack.Packed // of the decoder there was before Park

	streams  table
	active   uint32 // streams that have not ended
	answered int32  // streams on which both messages ended and that the owner has not released
	sched    schedule
	budget   budget
	lastPeer uint32 // highest identifier that the peer has opened
	nextOwn  uint32 // identifier of our next stream
	ourLast  uint32 // what our GOAWAY said, or maxStreamID
	peerLast uint32 // what the peer's GOAWAY said, or maxStreamID
	pings    int32  // of the owner's, not answered yet
	leftOut  int32  // streams whose Reset event is still to come
	left     int32  // streams that were released and of which something may still come
	sendWin  int32
	recv     receiveWindow
	lateData int32 // bytes that may be on their way on streams that we reset
	rtt      int64
	rttSent  int64 // when our own PING left, while its answer is awaited
	rttNext  int64 // not before then is the round trip measured again
	stallDue int64 // when a stream may have waited for too long, or 0
	drainDue int64 // when Shutdown goes on without an answer, or 0
	leftDue  int64 // when a stream that was left may have been waited for too long, or 0
	headDue  int64 // when the frame or header block that is being read must have ended, or 0

	settingsSent, settingsDue int64
}

type connFlags uint16

const (
	connStarted  connFlags = 1 << iota // the peer's first SETTINGS frame began
	connShutting                       // Shutdown was called
	connFinal                          // the last stream was told to the peer
	connGone                           // the peer has sent GOAWAY
	connAcked                          // the peer has acknowledged our SETTINGS
	connWriting                        // a header section is being appended
	connResized                        // the encoder that there was before Park was
	connOpening                        // a stream of ours was opened and its HEADERS were not appended yet
	connBounded                        // the peer has sent MAX_CONCURRENT_STREAMS
)

// NewServer returns the server's end of a connection. Its SETTINGS wait in AppendPending already: a server need not
// wait for the client to send them (RFC 9113 §3.4). cfg is kept, and must not be changed any more.
func NewServer(cfg *Config, now int64) *Conn { return newConn(cfg, now, false) }

// NewClient returns the client's end of a connection. Its preface and SETTINGS wait in AppendPending already. cfg is kept,
// and must not be changed any more.
func NewClient(cfg *Config, now int64) *Conn { return newConn(cfg, now, true) }

func newConn(cfg *Config, now int64, client bool) *Conn {
	if !cfg.complete {
		cfg = cfg.Complete()
	}
	c := &Conn{
		cfg: cfg, client: client, now: now, nextOwn: 1, ourLast: maxStreamID, peerLast: maxStreamID, sendWin: defaultWindow,
		peer:         peerSettings{maxStreams: initialStreams, window: defaultWindow, frameSize: minFrameSize, listSize: 1<<32 - 1, tableSize: defaultTableSize},
		budget:       budget{left: cfg.Budget, limit: cfg.Budget, earned: now},
		settingsSent: now,
	}
	if client {
		c.seen = uint8(len(Preface))
		c.out = append(c.out, Preface...)
	}
	if cfg.SettingsTimeout > 0 {
		c.settingsDue = now + cfg.SettingsTimeout
	}
	c.out = c.appendSettings(c.out)
	c.recv = receiveWindow{left: defaultWindow, max: int32(cfg.ConnWindow), epoch: now}
	if grant := c.recv.max - defaultWindow; grant > 0 {
		c.recv.left = c.recv.max
		c.out = appendWindowUpdate(c.out, 0, uint32(grant))
	}
	return c
}

// How many streams a client opens before it knows what the server says of that, and when it has said nothing. RFC 9113
// §6.5.2 sets no limit then, and asks servers for no less than 100.
const (
	initialStreams   = 100
	unboundedStreams = 1000
)

// End is told that the peer has closed its side: it returns io.EOF if a connection may end there, and
// io.ErrUnexpectedEOF if a frame or a stream was left unfinished.
func (c *Conn) End() error {
	cut := c.workspace != nil && (c.frame.left > 0 || c.frame.open || c.block.id != 0)
	if !cut {
		c.streams.each(func(s *Stream) bool {
			cut = s.mayReceive() && !s.has(flagLeft) || c.client && s.state != Closed
			return !cut
		})
	}
	if cut || int(c.seen) < len(Preface) {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}

// AppendPending appends what the connection has to say by itself: acknowledgements, window updates, resets, GOAWAY.
func (c *Conn) AppendPending(dst []byte) []byte {
	if len(c.out) > 0 {
		dst = append(dst, c.out...)
		c.out = c.out[:0]
	}
	return dst
}

// Pending reports whether AppendPending has something to append.
func (c *Conn) Pending() bool { return len(c.out) > 0 }

// fail ends the connection: GOAWAY is the last that it says.
func (c *Conn) fail(err *Error) { c.failWith(err, err.Msg) }

func (c *Conn) failWith(err *Error, debug string) {
	if c.err != nil {
		return
	}
	c.err = err
	c.out = appendGoAway(c.out, min(c.lastPeer, c.ourLast), err.Code, debug)
	c.settingsDue, c.stallDue, c.drainDue, c.headDue, c.leftDue = 0, 0, 0, 0, 0
}

// Fail ends the connection for a reason of the owner's: GOAWAY waits in AppendPending, as the last, with a few words
// for the people at the other end. Nothing is received or sent any more.
func (c *Conn) Fail(code Code, debug string) {
	c.failWith(local(code, "RFC 9113 §5.4.1", "ended by this side"), debug)
}

// Err returns what has ended the connection, the error that Next and Tick return; nil while it goes on.
func (c *Conn) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// room reports whether n more bytes of what the peer asked for may wait, and ends the connection otherwise.
func (c *Conn) room(n int) bool {
	if c.err == nil && len(c.out)+n > int(c.cfg.MaxPending) {
		c.fail(errPending)
	}
	return c.err == nil
}

// Trim gives back memory that is not needed while there are no streams.
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

// PeerMaxStreams returns how many streams we may have open at once: of a client.
func (c *Conn) PeerMaxStreams() uint32 { return c.peer.maxStreams }

// PeerMaxHeaderList returns how large a header section the peer wants to take at most.
func (c *Conn) PeerMaxHeaderList() uint32 { return c.peer.listSize }

// PeerConnectProtocol reports whether the server takes extended CONNECT (RFC 8441 §3).
func (c *Conn) PeerConnectProtocol() bool { return c.peer.connect }

// SendWindow returns how many bytes of DATA the connection's window lets through now.
func (c *Conn) SendWindow() int { return int(c.sendWin) }

// Stream returns the stream with the identifier if the owner has not released it yet.
func (c *Conn) Stream(id uint32) *Stream {
	if s := c.streams.find(id); s != nil && !s.has(flagLeft) {
		return s
	}
	return nil
}

// Streams calls yield for every stream that was not released, in no order. Nothing of the connection may be changed
// meanwhile.
func (c *Conn) Streams(yield func(*Stream) bool) {
	c.streams.each(func(s *Stream) bool { return s.has(flagLeft) || yield(s) })
}

// Len returns how many streams were not released.
func (c *Conn) Len() int { return int(c.streams.n) - int(c.left) }
