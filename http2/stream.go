package http2

// Stream is one request and response. It belongs to its Conn and must be guarded by the same lock. The owner may use it
// until Conn.Release, which must be called once for each stream that came with an event or from Conn.Open.
type Stream struct {
	Owner any // for the use of the connection's owner

	id       uint32
	phase    phase
	inbound  inbound
	method   method
	turn     turn
	prio     PriorityParams
	signaled bool // a priority was signaled for it

	send       sendWindow
	unconsumed int32 // bytes received and not consumed
	recv       receiveWindow
	body       int64 // bytes still to come according to content-length, or -1
	stall      stallTimer

	bucketNext *Stream // next stream in the same bucket of the table, or next free one
	next, prev *Stream // in the queue of senders
}

// inbound is how far the peer's message is.
type inbound uint8

const (
	awaitsHead inbound = iota // only informational responses have come
	hasBody                   // DATA and trailers may come
	isTunnel                  // CONNECT: only DATA is allowed
)

// method is what a client's request says about the response to it (RFC 9110 §6.4.1).
type method uint8

const (
	methodOther   method = iota
	methodHead           // the response has no content
	methodConnect        // a response of 2xx makes the stream a tunnel
)

// turn is a stream's place among those that have DATA to send.
type turn uint8

const (
	turnNone        turn = iota // has nothing to send
	turnBlocked                 // its window is shut
	turnOrdered                 // is in the queue of streams that send one after the other
	turnIncremental             // is in the queue of streams that take turns
)

// queued reports whether the stream is in one of the queues.
func (t turn) queued() bool { return t >= turnOrdered }

// queue returns the index of the queue.
func (t turn) queue() int { return int(t - turnOrdered) }

// stallTimer bounds how long a stream waits for a window. While a stream is being discarded, it bounds that.
type stallTimer struct {
	at   int64 // when the stream is reset unless it has sent stallMinBytes
	sent int32 // bytes sent since at was set
	off  bool  // the stream may wait for ever
}

// ID returns the stream's identifier.
func (s *Stream) ID() uint32 { return s.id }

// State returns the state of the stream (RFC 9113 §5.1).
func (s *Stream) State() State { return phaseStates[s.phase] }

// Priority returns the priority that the peer signaled or SetPriority set, whichever was last.
func (s *Stream) Priority() PriorityParams { return s.prio }

// SendWindow returns how many bytes of DATA the stream's own window lets through; the connection's window may let fewer
// through. It is negative if the peer has lowered its initial window below what was already sent (RFC 9113 §6.9.2).
func (s *Stream) SendWindow() int { return int(s.send.left) }

// Unconsumed returns how many bytes of DATA were received and not consumed.
func (s *Stream) Unconsumed() int { return int(s.unconsumed) }

// AllowStall exempts s from Config.StallTimeout: its owner decides how long it waits for a window.
func (s *Stream) AllowStall() { s.stall.off = true }
