package wsframe

import "github.com/shockwave-go/shockwave"

// Role is the side of a connection. It decides which frames are masked.
type Role uint8

// The roles.
const (
	Server Role = iota // accepted the connection; reads masked frames and writes unmasked ones
	Client             // opened the connection; writes masked frames and reads unmasked ones
)

// String returns "server" or "client".
func (r Role) String() string {
	if r == Client {
		return "client"
	}
	return "server"
}

// Sequence checks the order of the frames in one direction of a connection. It is passed every header, including those
// of control frames:
//
//	            text, binary (not FIN)
//	┌─► between ──────────────────────► open ─┐
//	│      │                             │  ▲ │ continuation (not FIN)
//	│      │ close                 close │  └─┘
//	│      └───────────► closed ◄────────┘
//	└──────────── continuation (FIN) ────┘
//
// A whole message in one frame, a ping and a pong do not change the state. A Sequence must not be used concurrently. A
// rejected header does not change it. The zero Sequence is Incoming(Server, 0).
type Sequence struct {
	unmasked   bool            // frames in this direction are not masked
	blame      shockwave.Blame // the sender in this direction
	extensions RSV

	open, closed bool
	empty        uint8 // number of empty frames in a row in the current message
	first        Kind  // of the first frame of the message that the latest data frame belongs to
}

// MaxEmptyFragments is the maximum number of empty frames in a row that do not end their message. RFC 6455 has no limit,
// but a peer could keep a reader busy with them forever. Control frames in between do not count. Writers that flush
// empty buffers send a few.
const MaxEmptyFragments = 128

// Incoming returns a Sequence for the frames that role reads, from the first one on. extensions has the reserved bits
// that the negotiated extensions use: RSV1 for permessage-deflate.
func Incoming(role Role, extensions RSV) Sequence {
	return Sequence{unmasked: role == Client, blame: shockwave.Peer, extensions: extensions}
}

// Outgoing returns a Sequence for the frames that role writes. It also rejects the headers that Parse would reject, and
// its errors blame this end.
func Outgoing(role Role, extensions RSV) Sequence {
	return Sequence{unmasked: role == Server, blame: shockwave.Local, extensions: extensions}
}

// Open reports whether a message has begun and not ended, so that the next data frame must be a continuation.
func (s *Sequence) Open() bool { return s.open }

// Closed reports whether a close frame has been passed, so that no frame may follow.
func (s *Sequence) Closed() bool { return s.closed }

// Opcode returns the opcode, Text or Binary, of the message that the latest data frame belongs to, even if that frame
// was its last. It is Continuation before the first message.
func (s *Sequence) Opcode() Opcode { return s.first.Opcode() }

// Compressed reports whether that message is compressed (RFC 7692 §6).
func (s *Sequence) Compressed() bool { return s.first.RSV()&RSV1 != 0 }

// Next checks the next header. It returns nil, or an *Error for the first rule that the header breaks, in the order of
// its bits.
func (s *Sequence) Next(h Header) error {
	if s.closed || h.RSV() != 0 || s.blame == shockwave.Local {
		if err := s.check(h); err != nil {
			return err
		}
	}
	if h.Opcode().IsControl() {
		if h.Masked == s.unmasked {
			return s.maskError()
		}
		s.closed = h.Opcode() == Close
		return nil
	}
	if starts := h.Opcode() != Continuation; starts == s.open {
		return s.orderError()
	}
	if h.Masked == s.unmasked {
		return s.maskError()
	}
	empty := uint8(0)
	if !h.Fin() && h.Length == 0 {
		if empty = s.empty + 1; empty > MaxEmptyFragments {
			return errEmptyFragments[s.blame]
		}
	}
	if h.Opcode() != Continuation {
		s.first = h.Kind
	}
	s.open, s.empty = !h.Fin(), empty
	return nil
}

// check makes the checks that a peer's ordinary frame does not need.
func (s *Sequence) check(h Header) error {
	switch {
	case s.closed:
		return errAfterClose[s.blame]
	case h.RSV()&^s.extensions != 0:
		return errRSV[s.blame]
	case h.RSV()&RSV1 != 0 && h.Opcode().IsControl():
		return errRSVControl[s.blame]
	case h.RSV()&RSV1 != 0 && h.Opcode() == Continuation:
		return errRSVContinues[s.blame]
	case h.Opcode().IsReserved():
		return errOpcode[s.blame]
	case h.Opcode().IsControl() && !h.Fin():
		return errControlFin[s.blame]
	case h.Opcode().IsControl() && h.Length > MaxControlPayload:
		return errControlLength[s.blame]
	case h.Length < 0:
		return errLengthSign[s.blame]
	}
	return nil
}

// orderError returns the error for a data frame out of order (RFC 6455 §5.4).
func (s *Sequence) orderError() error {
	if s.open {
		return errInterleaved[s.blame]
	}
	return errContinuesNone[s.blame]
}

// maskError returns the error for a frame with the wrong masking: "A client MUST mask all frames", "A server MUST NOT
// mask any" (RFC 6455 §5.1).
func (s *Sequence) maskError() error {
	if s.unmasked {
		return errMasked[s.blame]
	}
	return errUnmasked[s.blame]
}
