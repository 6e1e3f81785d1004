package h3frame

import "github.com/shockwave-go/shockwave/http2"

// maxControl is the longest payload that a frame of the control stream may have.
const maxControl = 4 << 10

// Control reads a peer's control stream (RFC 9114 §6.2.1). Server says that the peer is one.
type Control struct {
	Server bool

	units   units
	settled bool   // SETTINGS has come
	goAway  uint64 // of the last GOAWAY
	gone    bool   // there was one
	maxPush uint64 // of the last MAX_PUSH_ID, plus 1
}

// Event is what a control stream has brought.
type Event struct {
	Type     Type // Settings, GoAway, PriorityUpdateRequest, or any other: that means nothing
	Settings PeerSettings
	ID       uint64 // of GOAWAY, of the request whose priority changes
	Priority http2.PriorityParams
}

// Read reads what has arrived, which may be cut at any byte, and calls tell for each frame.
func (c *Control) Read(b []byte, tell func(*Event)) *Error {
	return c.units.read(b, func(b []byte) (int, *Error) { return c.frame(b, tell) })
}

// frame reads the frame that b begins with, and returns how many bytes it has taken: 0 if more are needed.
func (c *Control) frame(b []byte, tell func(*Event)) (n int, err *Error) {
	t, length, size := header(b)
	if size == 0 {
		return 0, nil
	}
	if err := c.check(t, length); err != nil {
		return 0, err
	}
	if !known(t) {
		c.units.left = length
		tell(&Event{Type: t})
		return size, nil
	}
	if uint64(len(b)-size) < length {
		return 0, nil
	}
	n = size + int(length)
	ev := Event{Type: t}
	if err := c.payload(&ev, b[size:n]); err != nil {
		return 0, err
	}
	tell(&ev)
	return n, nil
}

// known reports whether the payload of a frame of the control stream has a meaning.
func known(t Type) bool {
	switch t {
	case Settings, GoAway, MaxPushID, CancelPush, PriorityUpdateRequest, PriorityUpdatePush:
		return true
	}
	return false
}

// check checks that a frame may come here.
func (c *Control) check(t Type, length uint64) *Error {
	switch {
	case !c.settled && t != Settings:
		return errSettingsFirst
	case c.settled && t == Settings:
		return errSettingsTwice
	case t == Data, t == Headers, t == PushPromise:
		return errOnControl
	case t.isHTTP2():
		return errHTTP2Type
	case c.Server && t == MaxPushID:
		return errMaxPushServer
	case c.Server && (t == PriorityUpdateRequest || t == PriorityUpdatePush):
		return errPriorityFrom
	case known(t) && length > maxControl:
		return errLong
	}
	return nil
}

// payload reads the payload of a frame.
func (c *Control) payload(ev *Event, p []byte) (err *Error) {
	if ev.Type == Settings {
		c.settled = true
		ev.Settings, err = parseSettings(p)
		return err
	}
	id, n := Varint(p)
	if n == 0 {
		return errLength
	}
	ev.ID, p = id, p[n:]
	switch ev.Type {
	case PriorityUpdateRequest:
		if id%4 != 0 {
			return errPriorityID
		}
		ev.Priority = http2.ParsePriority(p)
		return nil
	case PriorityUpdatePush:
		return errPriorityID // nothing is pushed
	}
	if len(p) > 0 {
		return errLength
	}
	switch ev.Type {
	case GoAway:
		return c.goingAway(id)
	case MaxPushID:
		if id+1 < c.maxPush {
			return errMaxPushLess
		}
		c.maxPush = id + 1
	case CancelPush:
		return errCancelPush // nothing is pushed
	}
	return nil
}

// goingAway checks the identifier of a GOAWAY (RFC 9114 §5.2).
func (c *Control) goingAway(id uint64) *Error {
	if c.Server && id%4 != 0 {
		return errGoAwayID
	}
	if c.gone && id > c.goAway {
		return errGoAwayMore
	}
	c.gone, c.goAway = true, id
	return nil
}

// AppendGoAway appends a GOAWAY frame.
func AppendGoAway(dst []byte, id uint64) []byte {
	var scratch [8]byte
	p := AppendVarint(scratch[:0], id)
	return append(AppendHeader(dst, GoAway, uint64(len(p))), p...)
}
