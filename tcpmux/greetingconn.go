package tcpmux

import (
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// greetingConn is a dialled connection during the greeting.
type greetingConn struct {
	net.Conn
	ahead     []byte        // bytes that were read and not yet parsed
	magicRead bool          // the peer's magic has been read
	timeout   time.Duration // for each expect; 0: none
}

// read reads the next greeting. raw holds its encoded bytes.
func (h *greetingConn) read() (x muxframe.Greeting, raw []byte, err error) {
	for {
		if !h.magicRead {
			n, err := muxframe.ParseMagic(h.ahead)
			if err != nil {
				return x, nil, err
			}
			h.ahead, h.magicRead = h.ahead[n:], n > 0
		}
		if h.magicRead {
			x, n, err := muxframe.ParseGreeting(h.ahead)
			if err != nil || n > 0 {
				raw, h.ahead = h.ahead[:n], h.ahead[n:]
				return x, raw, err
			}
		}
		var b [2048]byte
		n, err := h.Read(b[:])
		h.ahead = append(h.ahead[:len(h.ahead):len(h.ahead)], b[:n]...)
		if err != nil && n == 0 {
			return x, nil, err
		}
	}
}

// expect reads the next greeting, which must be of the given kind. A REFUSED greeting is returned as a *RefusedError.
func (h *greetingConn) expect(kind muxframe.Kind) (x muxframe.Greeting, raw []byte, err error) {
	if h.timeout > 0 {
		_ = h.SetReadDeadline(time.Now().Add(h.timeout))
		defer h.SetReadDeadline(time.Time{})
	}
	x, raw, err = h.read()
	switch {
	case err != nil:
		return x, raw, faceError(err)
	case x.Kind == muxframe.Refused:
		return x, raw, &RefusedError{Code: RefusalCode(x.Code), Text: x.Text}
	case x.Kind != kind:
		return x, raw, faceError(muxframe.Broken(x.Kind.String() + " out of turn"))
	}
	return x, raw, nil
}
