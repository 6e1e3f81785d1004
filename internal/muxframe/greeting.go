package muxframe

import (
	"bytes"
	"encoding/binary"
)

// Magic is what each side sends first.
const Magic = "\x8eSWMUX\r\n"

// Version is that of the wire described in docs/wire/tcpmux.md.
const Version = 1

// Kind is what a greeting is.
type Kind uint8

// The kinds. A new session takes Hello and Welcome; one that goes on Resume, Challenge, Proof and Resumed.
const (
	Hello     Kind = 1 // the dialler wants a new session
	Welcome   Kind = 2 // the listener gives it one
	Resume    Kind = 3 // the dialler wants to go on with a session
	Challenge Kind = 4 // the listener wants to know whether it is the one
	Proof     Kind = 5 // it is
	Resumed   Kind = 6 // the listener goes on
	Refused   Kind = 7 // the listener does not, with either
)

var kindNames = [...]string{"?", "HELLO", "WELCOME", "RESUME", "CHALLENGE", "PROOF", "RESUMED", "REFUSED"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[0]
}

// Features are what the sides of a session agree on: the listener answers with those of the dialler's that it has, too.
type Features uint32

// CanResume means that the session goes on when its connection has broken.
const CanResume Features = 1

// Limits are what one side of a session allows the other.
type Limits struct {
	Window     uint32 // bytes of a channel, to begin with
	Session    uint32 // bytes of all channels
	MaxMessage uint32 // bytes
	Channels   uint32 // at a time
	ResumeTime uint32 // milliseconds
	Keepalive  uint32 // milliseconds; 0: none
}

// leastWindow is the smallest window: less would hold up everything.
const leastWindow = 1024

// ID is the id of a session, Key a public key of X25519 (RFC 7748), Nonce a number used once, MAC an HMAC with SHA-256.
type (
	ID    [16]byte
	Key   [32]byte
	Nonce [32]byte
	MAC   [32]byte
)

// Greeting is what the sides say to each other before the first frame. Which fields there are depends on the kind.
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

// sizes are the lengths of the bodies; what stands behind belongs to later versions.
var sizes = [...]int{
	Hello: 1 + 4 + 32 + 24, Welcome: 1 + 4 + 32 + 24 + 16, Resume: 1 + 16 + 32, Challenge: 32, Proof: 8 + 32, Resumed: 8 + 32,
	Refused: 2 + 8,
}

// MaxGreeting is the most bytes of a greeting without the magic; longer ones are refused.
const MaxGreeting = 3 + 512

// maxText is the most bytes of Greeting.Text.
const maxText = 200

// AppendGreeting appends g. The first of each side stands behind Magic.
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

// ParseMagic checks that b begins with Magic, as far as it goes. n is 0 if it is not long enough.
func ParseMagic(b []byte) (n int, err error) {
	k := min(len(b), len(Magic))
	if !bytes.Equal(b[:k], []byte(Magic[:k])) {
		return 0, Broken("this is no multiplexed connection")
	}
	if k < len(Magic) {
		return 0, nil
	}
	return k, nil
}

// ParseGreeting reads the greeting at the front of b; n is 0 if it is not all there.
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
	if size < sizes[g.Kind] || size > MaxGreeting-3 {
		return g, 0, Broken(g.Kind.String() + " of a length that cannot be")
	}
	if len(b)-3 < size {
		return g, 0, nil
	}
	return g, 3 + size, g.parse(b[3 : 3+size])
}

// parse reads a body, which is long enough.
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
			copy(g.ID[:], b)
		}
		if l.Window < leastWindow || l.Session < leastWindow || l.Window > MaxCredit || l.Session > MaxCredit {
			return Broken(g.Kind.String() + " with a window that cannot be")
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

// ErrVersion is what is said of a greeting of another version.
var ErrVersion = Broken("another version of the protocol")
