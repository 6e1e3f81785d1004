package muxframe

import "encoding/binary"

// Frame is what Reader.Next has read: a whole frame, or a piece of a DATA frame.
type Frame struct {
	Type    Type
	Flags   Flags
	Channel uint32 // 0: the session
	N       uint64 // credit, code, count of bytes, token, or last channel
	M       uint64 // GRANT: the number of the message

	Name, Meta []byte // OPEN, Meta is nil if there is none. KILL: Name is the text

	Payload []byte // DATA: the bytes of this piece
	Begins  bool   // DATA: the piece is the frame's first
	Ends    bool   // DATA: the piece is the frame's last
	Length  int    // DATA: of the whole frame's payload
}

// Reader reads the frames that follow the greeting.
//
//	        ┌─ a whole frame                     DATA, its last piece
//	        ▼  │              ┌──────────────────────────┐
//	start ► between frames ───┘ DATA, its first piece    │
//	        ▲  └──────────────────────► in a payload ────┘
//	        │                             ▲  │ DATA, another piece
//	        │                             └──┘
//
// It keeps only its position in a payload, no input. So it can continue with the bytes of another connection, after the last
// byte that was consumed. The zero Reader is ready for use.
type Reader struct {
	left    int32 // bytes of the current payload that are to come
	length  int32 // of the current payload
	channel uint32
	flags   Flags
}

// Between reports whether the next byte begins a frame.
func (r *Reader) Between() bool { return r.left == 0 }

// Next reads the frame, or the piece of one, at the front of b into f and consumes n bytes; 0 means that it needs more. The
// slices of f are parts of b. The error is an *Error and final.
func (r *Reader) Next(b []byte, f *Frame) (n int, err error) {
	if r.left > 0 {
		return r.piece(b, f), nil
	}
	if len(b) < 2 {
		if len(b) == 1 {
			err = checkFirst(b[0])
		}
		return 0, err
	}
	if Type(b[0]>>4) == Data {
		return r.data(b, f)
	}
	if err := checkFirst(b[0]); err != nil {
		return 0, err
	}
	*f = Frame{Type: Type(b[0] >> 4), Flags: Flags(b[0] & 15)}
	if f.Type == Ping || f.Type == Pong {
		if len(b) < 9 {
			return 0, nil
		}
		f.N = binary.BigEndian.Uint64(b[1:])
		return 9, nil
	}
	return f.parse(b)
}

// checkFirst checks the first byte of a frame.
func checkFirst(b byte) error {
	t := Type(b >> 4)
	if t < Data || t > Kill {
		return Broken("a frame of unknown " + t.String())
	}
	if Flags(b&15)&^allowedFlags[t] != 0 {
		return Broken(t.String() + " with an unknown flag")
	}
	return nil
}

// data reads the header of a DATA frame and the part of its payload that b has.
func (r *Reader) data(b []byte, f *Frame) (n int, err error) {
	flags := Flags(b[0] & 15)
	if flags&^allowedFlags[Data] != 0 {
		return 0, Broken("DATA with an unknown flag")
	}
	var channel, length uint64
	var k int
	if len(b) > 2 && b[1] < 0x80 && b[2] < 0x80 {
		channel, length, n = uint64(b[1]), uint64(b[2]), 3
	} else {
		if channel, n = varint(b[1:], MaxChannel); n == 0 {
			return 0, nil
		}
		if n < 0 {
			return 0, Broken("DATA with an invalid channel number")
		}
		n++
		if length, k = varint(b[n:], MaxData); k == 0 {
			return 0, nil
		}
		if k < 0 {
			return 0, Broken("DATA with a length of more than 65536")
		}
		n += k
	}
	switch {
	case channel == 0:
		return 0, Broken("DATA in channel 0")
	case length == 0 && flags&Fin == 0:
		return 0, Broken("an empty DATA without FIN")
	case flags&(Exempt|Reserve) == Exempt|Reserve:
		return 0, Broken("DATA with credit of two kinds")
	}
	r.channel, r.flags, r.length, r.left = uint32(channel), flags, int32(length), int32(length)
	f.Type, f.Begins, f.Channel, f.Flags, f.Length = Data, true, r.channel, flags, int(r.length)
	k = min(int(r.left), len(b)-n)
	f.Payload = b[n : n+k : n+k]
	r.left -= int32(k)
	f.Ends = r.left == 0
	return n + k, nil
}

// piece reads the next part of a payload.
func (r *Reader) piece(b []byte, f *Frame) int {
	n := min(int(r.left), len(b))
	if n == 0 {
		return 0
	}
	r.left -= int32(n)
	f.Type, f.Begins, f.Ends, f.Payload = Data, false, r.left == 0, b[:n:n]
	f.Channel, f.Flags, f.Length = r.channel, r.flags, int(r.length)
	return n
}

// fieldReader reads consecutive numbers and strings. Its methods return zero values after a failure.
type fieldReader struct {
	b     []byte
	n     int
	short bool // b ends too early
	bad   bool // a number is out of range
}

func (p *fieldReader) number(most uint64) uint64 {
	if p.short || p.bad {
		return 0
	}
	v, n := varint(p.b[p.n:], most)
	p.short, p.bad = n == 0, n < 0
	p.n += max(n, 0)
	return v
}

func (p *fieldReader) bytes(most uint64) []byte {
	size := int(p.number(most))
	if p.short || p.bad {
		return nil
	}
	if p.short = len(p.b)-p.n < size; p.short {
		return nil
	}
	p.n += size
	return p.b[p.n-size : p.n : p.n]
}

// parse reads a frame that consists of numbers and strings.
func (f *Frame) parse(b []byte) (n int, err error) {
	p := fieldReader{b: b, n: 1}
	noChannel := f.Type == Goaway || f.Type == Ack || f.Type == Kill // these belong to the session or the connection
	if !noChannel {
		f.Channel = uint32(p.number(MaxChannel))
	}
	ok := f.Channel > 0 || f.Type == Window && f.Flags == 0 || noChannel || p.short
	switch f.Type {
	case Open:
		f.Name = p.bytes(MaxName)
		ok = ok && (len(f.Name) > 0 || p.short)
		if f.Flags&Metadata != 0 {
			f.Meta = p.bytes(MaxMetadata)
		}
	case Reset:
		f.N = p.number(1<<32 - 1)
	case Window, Grant:
		if f.Type == Grant {
			f.M = p.number(1<<63 - 1)
		}
		f.N = p.number(MaxCredit)
		ok = ok && (f.N > 0 || p.short)
	case Goaway:
		f.N = p.number(MaxChannel)
	case Ack:
		f.N = p.number(1<<63 - 1)
	case Kill:
		f.N = p.number(1<<32 - 1)
		f.Name = p.bytes(MaxName)
	}
	switch {
	case p.bad || !ok:
		return 0, Broken(f.Type.String() + " with a number out of range")
	case p.short:
		return 0, nil
	}
	return p.n, nil
}
