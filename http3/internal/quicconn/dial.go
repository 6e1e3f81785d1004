package quicconn

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Dialed is a connection that we have opened, with its socket.
type Dialed struct {
	Conn
	tr *quic.Transport
	pc net.PacketConn
}

// Tokens keeps the tokens that prove our address to servers (RFC 9000 §8.1.3).
type Tokens = quic.TokenStore

// NewTokens returns a store for the tokens of some servers.
func NewTokens() Tokens { return quic.NewLRUTokenStore(64, 4) }

// Dial opens a connection to an address. It owns pc, and returns when the handshake is complete; with Limits.Early, also when requests
// can be sent before that.
func Dial(ctx context.Context, pc net.PacketConn, to net.Addr, cfg *tls.Config, lim Limits, tokens Tokens) (Dialed, error) {
	d := Dialed{tr: &quic.Transport{Conn: pc}, pc: pc}
	dial := d.tr.Dial
	if lim.Early {
		dial = d.tr.DialEarly
	}
	qc := lim.config(512<<10, 1<<20)
	qc.TokenStore = tokens
	c, err := dial(ctx, to, cfg, qc)
	if err != nil {
		d.Release()
		return d, err
	}
	d.Conn = Conn{c}
	return d, nil
}

// GoOn waits until the handshake of a connection is complete whose server does not take what is sent before that. Streams can be opened
// again then.
func (d Dialed) GoOn(ctx context.Context) error {
	_, err := d.c.NextConnection(ctx)
	return err
}

// Release ends what is behind the connection, and closes its socket.
func (d Dialed) Release() {
	d.pc.Close() // ends a read that waits
	d.tr.Close()
}

// Open opens a request stream. full is true if the peer allows no more streams now.
func (c Conn) Open() (s Stream, full bool, err error) {
	str, err := c.c.OpenStream()
	if _, full := errors.AsType[*quic.StreamLimitReachedError](err); full {
		return s, true, nil
	}
	return Stream{str}, false, err
}

// OpenWhenFree opens a request stream as soon as the peer allows one more.
func (c Conn) OpenWhenFree(ctx context.Context) (Stream, error) {
	s, err := c.c.OpenStreamSync(ctx)
	return Stream{s}, err
}

// PacketsReceived returns how many packets have arrived so far.
func (c Conn) PacketsReceived() uint64 { return c.c.ConnectionStats().PacketsReceived }

// WriteAll writes all of p if it need not wait. Otherwise it writes nothing and returns false.
func (s Send) WriteAll(p []byte) bool { return s.s.TryWriteAll(p) == nil }

// HasEnded reports whether the connection has ended.
func (c Conn) HasEnded() bool { return c.c.Context().Err() != nil }

// WhyEnded returns the error with which the connection has ended.
func (c Conn) WhyEnded() error { return context.Cause(c.c.Context()) }

// ClosedByPeer reports whether err, with which a connection has ended, says that the peer has closed it.
func ClosedByPeer(err error) (code h3frame.Code, reason string, ok bool) {
	e, ok := errors.AsType[*quic.ApplicationError](err)
	if !ok || !e.Remote {
		return 0, "", false
	}
	return h3frame.Code(e.ErrorCode), e.ErrorMessage, true
}

// IsSilence reports whether a connection has ended because the peer has sent nothing for too long.
func IsSilence(err error) bool {
	_, ok := errors.AsType[*quic.IdleTimeoutError](err)
	return ok
}

// IsForgotten reports whether a connection has ended because the peer no longer knows it (stateless reset, RFC 9000 §10.3).
func IsForgotten(err error) bool {
	_, ok := errors.AsType[*quic.StatelessResetError](err)
	return ok
}

// RejectedEarly reports whether err says that the server has rejected early data.
func RejectedEarly(err error) bool { return errors.Is(err, quic.Err0RTTRejected) }

// IsHandshakeTimeout reports whether a handshake has taken too long.
func IsHandshakeTimeout(err error) bool {
	_, ok := errors.AsType[*quic.HandshakeTimeoutError](err)
	return ok || IsSilence(err)
}
