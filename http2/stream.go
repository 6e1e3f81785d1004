package http2

// State is where a stream stands in the drawing of RFC 9113 §5.1. The reserved states do not exist here: nobody pushes.
type State uint8

// The states of a stream.
//
//	            HEADERS                END_STREAM of the peer
//	Idle ──────────────────► Open ───────────────────────────► HalfClosedRemote
//	                          │ our END_STREAM                        │ our END_STREAM
//	                          ▼        END_STREAM of the peer         ▼
//	                   HalfClosedLocal ───────────────────────────► Closed ◄── RST_STREAM of anyone
const (
	Idle             State = iota // not opened: of a stream that Conn.Open made, until its HEADERS are appended
	Open                          // both sides may send
	HalfClosedLocal               // we have sent all of our message
	HalfClosedRemote              // the peer has sent all of its message
	Closed                        // both have, or one of them has reset it
)

// Stream is one exchange. It belongs to its Conn, is looked after under the same lock, and is the owner's to hold until
// Conn.Release, which must be called once for each stream that came with an event or from Conn.Open.
type Stream struct {
	Owner any // whatever the owner of the connection wants to find with a stream

	id    uint32
	state State
	flags streamFlags
	prio  PriorityParams

	sendWin int32 // what we may send; negative after the peer has taken back more than was left
	recvWin int32 // what the peer may send
	recvMax int32 // what recvWin is brought back to
	spent   int32 // consumed, and the peer not told yet
	held    int32 // received and not consumed
	body    int64 // what content-length leaves to come, or -1

	epoch     int64 // when the peer was last told of a window: windows grow by how soon that is again
	stallAt   int64 // when a ready stream without a window is given up
	stallSent int32 // sent since stallAt was set

	slot       *Stream // the next one of the same place in the table, or the next free one
	next, prev *Stream // in the queue of senders
}

type streamFlags uint16

const (
	flagGotHead  streamFlags = 1 << iota // the head of the peer's message has arrived
	flagTunnel                           // CONNECT: only DATA
	flagHead                             // a request with HEAD: its response has no content
	flagConnect                          // a request with CONNECT
	flagReady                            // has DATA to send
	flagQueued                           // stands in the queue of senders
	flagReset                            // ended by RST_STREAM of either side
	flagRefused                          // the peer's GOAWAY left it out: its Reset event is still to come
	flagPriority                         // somebody said a priority for it
	flagTurns                            // stands in the queue of those that take turns
	flagAnswered                         // both messages have ended
	flagLeft                             // its owner has released it: what still comes is passed over
)

// ID returns the stream's identifier.
func (s *Stream) ID() uint32 { return s.id }

// State returns the state that RFC 9113 §5.1 gives the stream.
func (s *Stream) State() State { return s.state }

// Priority returns what the peer, or SetPriority, said last.
func (s *Stream) Priority() PriorityParams { return s.prio }

// SendWindow returns how many bytes of DATA the stream may send now as far as its own window goes; the connection's can
// be smaller. It is negative after the peer has taken back more than was left (RFC 9113 §6.9.2).
func (s *Stream) SendWindow() int { return int(s.sendWin) }

// Unconsumed returns how many bytes of DATA were received and not consumed.
func (s *Stream) Unconsumed() int { return int(s.held) }

// mayReceive reports whether the peer may still send its message.
func (s *Stream) mayReceive() bool { return s.state == Open || s.state == HalfClosedLocal }

// maySend reports whether we may still send our message.
func (s *Stream) maySend() bool { return s.state == Open || s.state == HalfClosedRemote }

func (s *Stream) has(f streamFlags) bool { return s.flags&f != 0 }
