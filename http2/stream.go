package http2

// State is the state of a stream (RFC 9113 §5.1). There are no reserved states, because nothing is pushed.
type State uint8

// The states of a stream.
//
//	            HEADERS                END_STREAM of the peer
//	Idle ──────────────────► Open ───────────────────────────► HalfClosedRemote
//	                          │ our END_STREAM                        │ our END_STREAM
//	                          ▼        END_STREAM of the peer         ▼
//	                   HalfClosedLocal ───────────────────────────► Closed ◄── RST_STREAM of anyone
const (
	StateIdle             State = iota // not open; or opened by Conn.Open, and its HEADERS were not appended yet
	StateOpen                          // both sides may send
	StateHalfClosedLocal               // we have sent all of our message
	StateHalfClosedRemote              // the peer has sent all of its message
	StateClosed                        // both have, or one of them has reset the stream
)

// Stream is one request and response. It belongs to its Conn and must be guarded by the same lock. The owner may use it
// until Conn.Release, which must be called once for each stream that came with an event or from Conn.Open.
type Stream struct {
	Owner any // for the use of the connection's owner

	id    uint32
	state State
	flags streamFlags
	prio  PriorityParams

	sendWin    int32 // bytes we may send; negative after the peer has lowered its initial window
	recvWin    int32 // bytes the peer may send
	recvMax    int32 // size of the receive window: recvWin is brought back to this
	consumed   int32 // bytes consumed since the last WINDOW_UPDATE
	unconsumed int32 // bytes received and not consumed
	unreturned unreturned
	body       int64 // bytes still to come according to content-length, or -1

	updatedAt int64 // time of our last WINDOW_UPDATE, or of the opening: the window grows if they follow each other quickly
	stallAt   int64 // when the stream is reset unless it has sent stallMinBytes
	stallSent int32 // bytes sent since stallAt was set

	bucketNext *Stream // next stream in the same bucket of the table, or next free one
	next, prev *Stream // in the queue of senders
}

type streamFlags uint16

const (
	flagGotHead     streamFlags = 1 << iota // the head of the peer's message has arrived
	flagTunnel                              // CONNECT: only DATA is allowed
	flagHead                                // the request is HEAD: its response has no content
	flagConnect                             // the request is CONNECT
	flagReady                               // has DATA to send
	flagQueued                              // is in a queue of senders
	flagReset                               // was reset by either side
	flagUnprocessed                         // above the last stream of the peer's GOAWAY: its EventReset is still to come
	flagPriority                            // a priority was signaled for it
	flagIncremental                         // is in the queue of incremental streams
	flagCompleted                           // both messages are complete
	flagDiscard                             // was released: the rest of the peer's message is discarded
	flagHasty                               // the peer has cancelled it at once, and its owner has not released it
	flagPatient                             // may wait for a window for ever
)

// ID returns the stream's identifier.
func (s *Stream) ID() uint32 { return s.id }

// State returns the state of the stream (RFC 9113 §5.1).
func (s *Stream) State() State { return s.state }

// Priority returns the priority that the peer signaled or SetPriority set, whichever was last.
func (s *Stream) Priority() PriorityParams { return s.prio }

// SendWindow returns how many bytes of DATA the stream's own window lets through; the connection's window may let fewer
// through. It is negative if the peer has lowered its initial window below what was already sent (RFC 9113 §6.9.2).
func (s *Stream) SendWindow() int { return int(s.sendWin) }

// Unconsumed returns how many bytes of DATA were received and not consumed.
func (s *Stream) Unconsumed() int { return int(s.unconsumed) }

// mayReceive reports whether the peer has not ended its message.
func (s *Stream) mayReceive() bool { return s.state == StateOpen || s.state == StateHalfClosedLocal }

// maySend reports whether we have not ended our message.
func (s *Stream) maySend() bool { return s.state == StateOpen || s.state == StateHalfClosedRemote }

func (s *Stream) has(f streamFlags) bool { return s.flags&f != 0 }
