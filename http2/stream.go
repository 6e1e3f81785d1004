package http2

// State is where a stream stands in the drawing of RFC 9113 §5.1. The reserved states do not exist here: nobody pushes.
type State uint8

// The states of a stream.
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
}

// ID returns the stream's identifier.
func (s *Stream) ID() uint32 { return s.id }

// State returns the state that RFC 9113 §5.1 gives the stream.
func (s *Stream) State() State { return s.state }

// Priority returns what the peer, or SetPriority, said last.
func (s *Stream) Priority() PriorityParams { return DefaultPriority }

// SendWindow returns how many bytes of DATA the stream may send now as far as its own window goes; the connection's can
// be smaller. It is negative after the peer has taken back more than was left (RFC 9113 §6.9.2).
func (s *Stream) SendWindow() int { return 0 }

// PriorityParams are the parameters of RFC 9218 §4.
type PriorityParams struct {
	Urgency     uint8 // 0, the most urgent, to 7
	Incremental bool
}

// DefaultPriority is what holds where nothing was said.
var DefaultPriority = PriorityParams{Urgency: 3}

// ParsePriority reads a priority field's value or that of a PRIORITY_UPDATE frame (RFC 9218 §4). What it does not
// know, and what has another type, is passed over; a value that is no dictionary is DefaultPriority.
func ParsePriority[T string | []byte](value T) PriorityParams { return DefaultPriority }
