package h3frame

import (
	"encoding/binary"
	"unicode/utf8"
)

// CapsuleType is the type of a capsule (RFC 9297 §3.2).
type CapsuleType uint64

// The types of capsules that mean something here.
const (
	CloseSession CapsuleType = 0x2843 // draft-ietf-webtrans-http3 §6
	DrainSession CapsuleType = 0x78ae // §4.7
)

// MaxReason is the longest reason of a closed session, in bytes (draft-ietf-webtrans-http3 §6).
const MaxReason = 1024

// Capsules reads the capsules of a session of WebTransport. The zero value is ready. Capsules of unknown types are passed over,
// whatever their length; little of one that is known is held.
type Capsules struct {
	units  units
	closed bool // CloseSession has come
}

// Capsule is one that was read.
type Capsule struct {
	Type   CapsuleType
	Code   uint32 // of CloseSession
	Reason []byte // of CloseSession: UTF-8, valid until tell returns
}

var (
	errCapsuleLong   = refuseStream(MessageError, "draft-ietf-webtrans-http3 §6", "capsule that is longer than its type allows")
	errCapsuleShort  = refuseStream(MessageError, "RFC 9297 §3.3", "capsule that is shorter than its fields")
	errCapsuleReason = refuseStream(MessageError, "draft-ietf-webtrans-http3 §6", "reason that is not UTF-8")
	errCapsuleAfter  = refuseStream(MessageError, "draft-ietf-webtrans-http3 §6", "bytes after the end of a session")
	errCapsuleCut    = refuseStream(MessageError, "RFC 9297 §3.3", "stream ends inside a capsule")
)

// Read reads what has arrived, which may be cut at any byte, and calls tell for each capsule: for one of an unknown type as soon as
// its header is there.
func (c *Capsules) Read(b []byte, tell func(Capsule)) *Error {
	return c.units.read(b, func(b []byte) (int, *Error) { return c.capsule(b, tell) })
}

// capsule reads the capsule that b begins with, and returns how many bytes it has taken: 0 if more are needed.
func (c *Capsules) capsule(b []byte, tell func(Capsule)) (n int, err *Error) {
	if c.closed {
		return 0, errCapsuleAfter
	}
	t, length, size := header(b)
	if size == 0 {
		return 0, nil
	}
	p := Capsule{Type: CapsuleType(t)}
	switch most := uint64(4 + MaxReason); p.Type {
	case DrainSession:
		most = 0
		fallthrough
	case CloseSession:
		if length > most {
			return 0, errCapsuleLong
		}
	default:
		c.units.left = length
		tell(p)
		return size, nil
	}
	if uint64(len(b)-size) < length {
		return 0, nil
	}
	n = size + int(length)
	if p.Type == CloseSession {
		if length < 4 {
			return 0, errCapsuleShort
		}
		p.Code, p.Reason = binary.BigEndian.Uint32(b[size:]), b[size+4:n]
		if !utf8.Valid(p.Reason) {
			return 0, errCapsuleReason
		}
		c.closed = true
	}
	tell(p)
	return n, nil
}

// End is called at the end of the stream. It returns what is wrong with an end here.
func (c *Capsules) End() *Error {
	if !c.units.isWhole() {
		return errCapsuleCut
	}
	return nil
}

// AppendCloseSession appends a capsule that ends a session. Of a reason longer than MaxReason it takes as many whole characters as fit.
func AppendCloseSession(dst []byte, code uint32, reason string) []byte {
	if len(reason) > MaxReason {
		n := MaxReason
		for n > 0 && !utf8.RuneStart(reason[n]) {
			n--
		}
		reason = reason[:n]
	}
	dst = AppendHeader(dst, Type(CloseSession), uint64(4+len(reason)))
	return append(binary.BigEndian.AppendUint32(dst, code), reason...)
}

// AppendDrainSession appends a capsule that asks the peer to end a session soon.
func AppendDrainSession(dst []byte) []byte { return AppendHeader(dst, Type(DrainSession), 0) }

// The codes with which applications end their streams lie between these two (draft-ietf-webtrans-http3 §4.4). Every 31st in
// between is one of those that are reserved to exercise extensions (RFC 9114 §8.1).
const (
	firstAppCode Code = 0x52e4a40fa8db
	lastAppCode  Code = 0x52e5ac983162
)

// AppCode returns the code of HTTP/3 that stands for an application's.
func AppCode(app uint32) Code { return firstAppCode + Code(app) + Code(app/0x1e) }

// App returns the application's code that c stands for. ok is false if it stands for none.
func (c Code) App() (app uint32, ok bool) {
	if c < firstAppCode || c > lastAppCode || (c-0x21)%0x1f == 0 {
		return 0, false
	}
	n := c - firstAppCode
	return uint32(n - n/0x1f), true
}

// AppendSessionHeader appends what a stream of a session begins with: the signal of a bidirectional stream, or the type of a
// unidirectional one, and the session's identifier (draft-ietf-webtrans-http3 §4.2, §4.3).
func AppendSessionHeader(dst []byte, uni bool, session uint64) []byte {
	first := uint64(WebTransport)
	if uni {
		first = uint64(WebTransportStream)
	}
	return AppendVarint(AppendVarint(dst, first), session)
}

// DatagramSession reads the front of an HTTP datagram: the stream that it belongs to. n is the number of its bytes. ok is false if
// it is malformed (RFC 9297 §2.1).
func DatagramSession(p []byte) (id uint64, n int, ok bool) {
	quarter, n := Varint(p)
	if n == 0 || quarter > MaxVarint/4 {
		return 0, 0, false
	}
	return quarter * 4, n, true
}
