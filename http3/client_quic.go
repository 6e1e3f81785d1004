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

// dialQUIC opens a connection to an address. It owns pc, and returns when the handshake is complete.
func dialQUIC(ctx context.Context, pc net.PacketConn, to net.Addr, cfg *tls.Config, lim quicLimits) (quicDialed, error) {
	d := quicDialed{tr: &quic.Transport{Conn: pc}, pc: pc}
	c, err := d.tr.Dial(ctx, to, cfg, &quic.Config{
		InitialPacketSize:              packetSize,
		HandshakeIdleTimeout:           lim.handshake,
		MaxIdleTimeout:                 lim.idle,
		KeepAlivePeriod:                lim.idle / 3,
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

// isHandshakeTimeout reports whether a handshake has taken too long.
func isHandshakeTimeout(err error) bool {
	_, ok := errors.AsType[*quic.HandshakeTimeoutError](err)
	_, idle := errors.AsType[*quic.IdleTimeoutError](err)
	return ok || idle
}

// clientLimits are the limits of a client's connections. A peer may open one stream of its own, so that it is seen and refused.
func clientLimits(handshake time.Duration) quicLimits {
	return quicLimits{
		handshake: handshake, idle: silentTimeout, streams: 1, uniStreams: maxUniStreams,
		streamWindow: 4 << 20, connWindow: 16 << 20,
	}
}

// silentTimeout is how long a server may send nothing at all, not even acknowledgements.
const silentTimeout = 30 * time.Second
