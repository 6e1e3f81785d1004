package muxframe

import (
	"bytes"
	"encoding/binary"
)

// Magic is what each side sends first.
const Magic = "\x8eSWMUX\r\n"

// Version is the version of the wire format in docs/wire/tcpmux.md.
const Version = 1

// Kind is the kind of a greeting.
type Kind uint8

// The kinds. A new session uses Hello and Welcome; a resumed one uses Resume, Challenge, Proof and Resumed.
const (
	Hello     Kind = 1 // the dialler asks for a new session
	Welcome   Kind = 2 // the listener starts one
	Resume    Kind = 3 // the dialler asks to resume a session
	Challenge Kind = 4 // the listener asks for a proof
	Proof     Kind = 5 // the dialler proves that the session is its own
	Resumed   Kind = 6 // the listener resumes the session
	Refused   Kind = 7 // the listener refuses
)

var kindNames = [...]string{"?", "HELLO", "WELCOME", "RESUME", "CHALLENGE", "PROOF", "RESUMED", "REFUSED"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[0]
}

// Features are optional parts of the protocol. The listener answers with those of the dialler's features that it supports,
// too.
type Features uint32

// CanResume means that the session can be resumed after its connection has broken.
const CanResume Features = 1

// Limits are what one side of a session imposes on the other.
type Limits struct {
	Window     uint32 // first window of a channel, bytes
	Session    uint32 // window of the session, bytes
	MaxMessage uint32 // bytes
	Channels   uint32 // the most open channels
	ResumeTime uint32 // milliseconds
	Keepalive  uint32 // milliseconds; 0: none
	Reserve    uint32 // what each channel may have beyond the session's window, bytes; 0: nothing
}

// minWindow is the smallest window or reserve that is accepted. A smaller one would stall the session.
const minWindow = 1024

// ID identifies a session, Key is an X25519 public key (RFC 7748), Nonce is a number used once, MAC is an HMAC-SHA-256.
type (
	ID    [16]byte
	Key   [32]byte
	Nonce [32]byte
	MAC   [32]byte
)

// Greeting is a message that is sent before the first frame. The fields that are used depend on Kind.
type Greeting struct {
	Kind     Kind
	Features Features // Hello, Welcome
	Key      Key      // Hello, Welcome
	Limits   Limits   // Hello, Welcome
	ID       ID       // Welcome, Resume
	Nonce    Nonce    // Resume, Challenge
	Received uint64   // Proof, Resumed, and Refused with RefusedOver
	MAC      MAC      // Proof, Resumed
	Code     Refusal  // Refused
	Text     string   // Refused, for people
}

// bodySizes are the minimum sizes of the bodies. The reserve may be missing. Bytes after that belong to later versions and
// are skipped.
var bodySizes = [...]int{
	Hello: 1 + 4 + 32 + 24, Welcome: 1 + 4 + 32 + 24 + 16, Resume: 1 + 16 + 32, Challenge: 32, Proof: 8 + 32, Resumed: 8 + 32,
	Refused: 2 + 8,
}

// reserveSize is the size of the reserve in a Hello or Welcome that has it.
const reserveSize = 4

// MaxGreeting is the largest size of a greeting without Magic. Larger ones are refused.
const MaxGreeting = 3 + 512

// maxText is the largest size of Greeting.Text.
const maxText = 200

// AppendGreeting appends g. The first greeting of each side must follow Magic.
func AppendGreeting(dst []byte, g *Greeting) []byte {
	begin := len(dst)
	dst = append(dst, byte(g.Kind), 0, 0)
	be := binary.BigEndian
	switch g.Kind {
	case Hello, Welcome:
		dst = be.AppendUint32(append(dst, Version), uint32(g.Features))
		dst = append(dst, g.Key[:]...)
		l := &g.Limits
		for _, v := range [...]uint32{l.Window, l.Session, l.MaxMessage, l.Channels, l.ResumeTime, l.Keepalive} {
			dst = be.AppendUint32(dst, v)
		}
		if g.Kind == Welcome {
			dst = append(dst, g.ID[:]...)
		}
		dst = be.AppendUint32(dst, l.Reserve)
	case Resume:
		dst = append(append(append(dst, Version), g.ID[:]...), g.Nonce[:]...)
	case Challenge:
		dst = append(dst, g.Nonce[:]...)
	case Proof, Resumed:
		dst = append(be.AppendUint64(dst, g.Received), g.MAC[:]...)
	case Refused:
		dst = be.AppendUint64(be.AppendUint16(dst, uint16(g.Code)), g.Received)
		dst = append(dst, g.Text[:min(len(g.Text), maxText)]...)
	}
	be.PutUint16(dst[begin+1:], uint16(len(dst)-begin-3))
	return dst
}

// ParseMagic checks that b begins with Magic. n is 0 if b is a prefix of Magic.
func ParseMagic(b []byte) (n int, err error) {
	k := min(len(b), len(Magic))
	if !bytes.Equal(b[:k], []byte(Magic[:k])) {
		return 0, Broken("not a multiplexed connection")
	}
	if k < len(Magic) {
		return 0, nil
	}
	return k, nil
}

// ParseGreeting reads the greeting at the front of b; n is 0 if b does not hold all of it.
func ParseGreeting(b []byte) (g Greeting, n int, err error) {
	if len(b) == 0 {
		return g, 0, nil
	}
	if g.Kind = Kind(b[0]); g.Kind < Hello || g.Kind > Refused {
		return g, 0, Broken("an unknown greeting")
	}
	if len(b) < 3 {
		return g, 0, nil
	}
	size := int(binary.BigEndian.Uint16(b[1:]))
	more := size - bodySizes[g.Kind]
	if more < 0 || size > MaxGreeting-3 || (g.Kind == Hello || g.Kind == Welcome) && more > 0 && more < reserveSize {
		return g, 0, Broken(g.Kind.String() + " of an invalid length")
	}
	if len(b)-3 < size {
		return g, 0, nil
	}
	return g, 3 + size, g.parse(b[3 : 3+size])
}

// parse reads a body, whose size has been checked.
func (g *Greeting) parse(b []byte) error {
	be := binary.BigEndian
	switch g.Kind {
	case Hello, Welcome, Resume:
		if b[0] != Version {
			return ErrVersion
		}
		b = b[1:]
	}
	switch g.Kind {
	case Hello, Welcome:
		g.Features = Features(be.Uint32(b))
		b = b[4+copy(g.Key[:], b[4:]):]
		l := &g.Limits
		for _, v := range [...]*uint32{&l.Window, &l.Session, &l.MaxMessage, &l.Channels, &l.ResumeTime, &l.Keepalive} {
			*v, b = be.Uint32(b), b[4:]
		}
		if g.Kind == Welcome {
			b = b[copy(g.ID[:], b):]
		}
		if len(b) >= reserveSize {
			l.Reserve = be.Uint32(b)
		}
		if l.Reserve > 0 && l.Reserve < minWindow || l.Reserve > MaxCredit {
			return Broken(g.Kind.String() + " with an invalid reserve")
		}
		if l.Window < minWindow || l.Session < minWindow || l.Window > MaxCredit || l.Session > MaxCredit {
			return Broken(g.Kind.String() + " with an invalid window")
		}
	case Resume:
		copy(g.Nonce[:], b[copy(g.ID[:], b):])
	case Challenge:
		copy(g.Nonce[:], b)
	case Proof, Resumed:
		g.Received = be.Uint64(b)
		copy(g.MAC[:], b[8:])
	case Refused:
		g.Code, g.Received = Refusal(be.Uint16(b)), be.Uint64(b[2:])
		g.Text = string(b[10:min(len(b), 10+maxText)])
	}
	return nil
}

// ErrVersion is the error for a greeting of another version.
var ErrVersion = Broken("another version of the protocol")
