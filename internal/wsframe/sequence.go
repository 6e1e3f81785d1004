package wsframe

import "github.com/shockwave-go/shockwave"

// Role is the part that this end plays: it decides who masks.
type Role uint8

// The roles.
const (
	Server Role = iota // accepted the connection: reads masked frames and writes bare ones
	Client             // opened the connection: writes masked frames and reads bare ones
)

// String returns "server" or "client".
func (r Role) String() string {
	if r == Client {
		return "client"
	}
	return "server"
}

// Sequence is the order of the frames in one direction of a connection. It is told every header, control frames
// included, and says whether it may stand there:
//
//	            text, binary (not FIN)
//	┌─► between ──────────────────────► open ─┐
//	│      │                             │  ▲ │ continuation (not FIN)
//	│      │ close                 close │  └─┘
//	│      └───────────► closed ◄────────┘
//	└──────────── continuation (FIN) ────┘
//
// A whole message in one frame, ping and pong change nothing. A Sequence belongs to one goroutine at a time; a refused
// header leaves it as it was. The zero Sequence is Incoming(Server, 0).
type Sequence struct {
	bare       bool            // frames in this direction are not masked
	who        shockwave.Blame // sends in this direction
	extensions RSV

	open, closed bool
	empty        uint8  // frames without payload since the message in hand last went on
	opcode       Opcode // of the message that the latest data frame belongs to
	compressed   bool   // whether that message is compressed
}

// MaxEmptyFragments is how many frames in a row may be empty without ending their message: RFC 6455 sets no bound, but a
// peer that sends them for ever holds a reader up and says nothing. Control frames between them do not count. Writers
// that flush what they have not got send a few.
const MaxEmptyFragments = 128

// Incoming returns the Sequence of the frames that role reads, before the first one. extensions are the bits that the
// negotiated extensions use: RSV1 with permessage-deflate, none without.
func Incoming(role Role, extensions RSV) Sequence {
	return Sequence{bare: role == Client, who: shockwave.Peer, extensions: extensions}
}

// Outgoing returns the Sequence of the frames that role writes. It also refuses the headers that Parse at the other end
// would, and blames this end for everything.
func Outgoing(role Role, extensions RSV) Sequence {
	return Sequence{bare: role == Server, who: shockwave.Local, extensions: extensions}
}

// Open reports whether a message has begun and not ended: the next data frame must be a continuation.
func (s *Sequence) Open() bool { return s.open }

// Closed reports whether a close frame has been there: no frame may follow.
func (s *Sequence) Closed() bool { return s.closed }

// Opcode returns Text or Binary, whatever the message is that the latest data frame belongs to, also when that frame
// was its last. It is Continuation before the first message.
func (s *Sequence) Opcode() Opcode { return s.opcode }

// Compressed reports whether that message is compressed (RFC 7692 §6).
func (s *Sequence) Compressed() bool { return s.compressed }

// Next takes the next header and returns nil, or the *Error that says which rule it breaks. A header that breaks
// several is refused for the one whose bits come first.
func (s *Sequence) Next(h Header) error {
	if s.closed || h.RSV != 0 || s.who == shockwave.Local {
		if err := s.check(h); err != nil {
			return err
		}
	}
	if h.Opcode.IsControl() {
		if h.Masked == s.bare {
			return s.maskError()
		}
		s.closed = h.Opcode == Close
		return nil
	}
	if starts := h.Opcode != Continuation; starts == s.open {
		return s.orderError()
	}
	if h.Masked == s.bare {
		return s.maskError()
	}
	empty := uint8(0)
	if !h.Fin && h.Length == 0 {
		if empty = s.empty + 1; empty > MaxEmptyFragments {
			return errEmptyFragments[s.who]
		}
	}
	if h.Opcode != Continuation {
		s.opcode, s.compressed = h.Opcode, h.RSV&RSV1 != 0
	}
	s.open, s.empty = !h.Fin, empty
	return nil
}

// check looks at what the usual frame from a peer need not be asked.
func (s *Sequence) check(h Header) error {
	switch {
	case s.closed:
		return errAfterClose[s.who]
	case h.RSV&^s.extensions != 0:
		return errRSV[s.who]
	case h.RSV&RSV1 != 0 && h.Opcode.IsControl():
		return errRSVControl[s.who]
	case h.RSV&RSV1 != 0 && h.Opcode == Continuation:
		return errRSVContinues[s.who]
	case h.Opcode.IsReserved():
		return errOpcode[s.who]
	case h.Opcode.IsControl() && !h.Fin:
		return errControlFin[s.who]
	case h.Opcode.IsControl() && h.Length > MaxControlPayload:
		return errControlLength[s.who]
	case h.Length < 0:
		return errLengthSign[s.who]
	}
	return nil
}

// orderError says why a data frame may not stand here (RFC 6455 §5.4).
func (s *Sequence) orderError() error {
	if s.open {
		return errInterleaved[s.who]
	}
	return errContinuesNone[s.who]
}

// maskError says which end got the masking wrong: "A client MUST mask all frames", "A server MUST NOT mask any"
// (RFC 6455 §5.1).
func (s *Sequence) maskError() error {
	if s.bare {
		return errMasked[s.who]
	}
	return errUnmasked[s.who]
}
