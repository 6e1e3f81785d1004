package http3

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/quic-go/quic-go"
)

// quicDialed is a connection that we have opened, with its socket.
type quicDialed struct {
	quicConn
	tr *quic.Transport
	pc net.PacketConn
}

// quicTokens keeps what proves our address to servers (RFC 9000 §8.1.3).
type quicTokens = quic.TokenStore

// newQUICTokens returns a store for the tokens of some servers.
func newQUICTokens() quicTokens { return quic.NewLRUTokenStore(64, 4) }

// dialQUIC opens a connection to an address. It owns pc, and returns when the handshake is complete; with early, also when requests
// can be sent before that.
func dialQUIC(ctx context.Context, pc net.PacketConn, to net.Addr, cfg *tls.Config, lim quicLimits, tokens quicTokens) (quicDialed, error) {
	d := quicDialed{tr: &quic.Transport{Conn: pc}, pc: pc}
	dial := d.tr.Dial
	if lim.early {
		dial = d.tr.DialEarly
	}
	c, err := dial(ctx, to, cfg, &quic.Config{
		TokenStore:                     tokens,
		InitialPacketSize:              packetSize,
		HandshakeIdleTimeout:           lim.handshake,
		MaxIdleTimeout:                 lim.idle,
		MaxIncomingStreams:             lim.streams,
		MaxIncomingUniStreams:          lim.uniStreams,
		InitialStreamReceiveWindow:     min(lim.streamWindow, 512<<10),
		MaxStreamReceiveWindow:         lim.streamWindow,
		InitialConnectionReceiveWindow: min(lim.connWindow, 1<<20),
		MaxConnectionReceiveWindow:     lim.connWindow,
		RequireStreamCreditRelease:     true,
	})
	if err != nil {
		d.release()
		return d, err
	}
	d.quicConn = quicConn{c}
	return d, nil
}

// release ends what is behind the connection, and closes its socket.
func (d quicDialed) release() {
	d.pc.Close() // ends a read that waits
	d.tr.Close()
}

// open opens a request stream. full is true if the peer allows no more streams now.
func (c quicConn) open() (s quicStream, full bool, err error) {
	str, err := c.c.OpenStream()
	if _, full := errors.AsType[*quic.StreamLimitReachedError](err); full {
		return s, true, nil
	}
	return quicStream{str}, false, err
}

// openWhenFree opens a request stream as soon as the peer allows one more.
func (c quicConn) openWhenFree(ctx context.Context) (quicStream, error) {
	s, err := c.c.OpenStreamSync(ctx)
	return quicStream{s}, err
}

// packetsReceived returns how many packets have come so far.
func (c quicConn) packetsReceived() uint64 { return c.c.ConnectionStats().PacketsReceived }

// writeAll writes p if that need not wait. Else it writes nothing, and returns false.
func (s quicSend) writeAll(p []byte) bool { return s.s.TryWriteAll(p) == nil }

// hasEnded reports whether the connection has ended.
func (c quicConn) hasEnded() bool { return c.c.Context().Err() != nil }

// whyEnded returns the error with which the connection has ended.
func (c quicConn) whyEnded() error { return context.Cause(c.c.Context()) }

// ending returns the meaning of err, with which a connection has ended: a ClosedError if the peer has closed it.
func ending(err error) error {
	if e, ok := errors.AsType[*quic.ApplicationError](err); ok && e.Remote {
		return &ClosedError{Code: uint64(e.ErrorCode), Reason: e.ErrorMessage}
	}
	if _, ok := errors.AsType[*quic.IdleTimeoutError](err); ok {
		return &brokenError{errSilent}
	}
	if _, ok := errors.AsType[*quic.StatelessResetError](err); ok {
		return &brokenError{errForgotten}
	}
	return &brokenError{err}
}

// rejectedEarly reports whether err says that the server has not taken what was sent before the handshake was complete.
func rejectedEarly(err error) bool { return errors.Is(err, quic.Err0RTTRejected) }

// isHandshakeTimeout reports whether a handshake has taken too long.
func isHandshakeTimeout(err error) bool {
	_, ok := errors.AsType[*quic.HandshakeTimeoutError](err)
	_, idle := errors.AsType[*quic.IdleTimeoutError](err)
	return ok || idle
}

// clientLimits are the limits of a client's connections. QUIC's own time-out of silent ones comes behind idle and those of the pulse. A
// peer may open one stream of its own, so that it is seen and refused.
func clientLimits(handshake, idle, pulse time.Duration) quicLimits {
	if idle <= 0 {
		idle = 1000 * time.Hour
	}
	return quicLimits{
		handshake: handshake, idle: max(idle, 2*pulse) + time.Minute, streams: 1, uniStreams: maxUniStreams,
		streamWindow: 4 << 20, connWindow: 16 << 20,
	}
}
