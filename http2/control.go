package http2

import "github.com/shockwave-go/shockwave/internal/wire/peerbudget"

// control is what all parts of a connection use: the limits, the time, the frames of the connection itself, the budget of
// the peer, and the error that ended the connection.
type control struct {
	cfg      *Config // may be shared with other connections
	now      int64
	err      *Error // the error that ended the connection
	out      []byte // frames of the connection itself that wait in AppendPending
	budget   peerbudget.Budget
	accepted uint32 // the last stream of the peer's that we have worked on or will work on, which GOAWAY names
	client   bool
}

// fail ends the connection with an error of the peer. GOAWAY is the last frame that is sent.
func (k *control) fail(err *Error) { k.failWith(err, err.Msg) }

func (k *control) failWith(err *Error, debug string) {
	if k.err != nil {
		return
	}
	k.err = err
	k.out = appendGoAway(k.out, k.accepted, err.Code, debug)
}

// reserve reports whether n more bytes that the peer asked for may be pending, and ends the connection if not.
func (k *control) reserve(n int) bool {
	if k.err == nil && len(k.out)+n > int(k.cfg.MaxPending) {
		k.fail(errPending)
	}
	return k.err == nil
}

// appendPending moves the pending frames to dst.
func (k *control) appendPending(dst []byte) []byte {
	if len(k.out) > 0 {
		dst = append(dst, k.out...)
		k.out = k.out[:0]
	}
	return dst
}
