package http3

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// This file, client_quic.go and shared_quic.go have all calls of quic-go, whose API changes from time to time.

// quicListener accepts connections on a socket.
type quicListener struct {
	tr *quic.Transport
	l  *quic.EarlyListener

	onStop func() // is called before further connections are refused, unless it is nil
}

// quicHooks are what a listener asks.
type quicHooks struct {
	retry func() bool                                   // whether a client must prove its address first
	begin func(ctx context.Context) (handshaken func()) // a connection begins; ctx ends with it; nil: refused
}

// quicLimits are the limits of connections.
type quicLimits struct {
	handshake, idle time.Duration
	streams         int64 // requests at once
	uniStreams      int64
	streamWindow    uint64
	connWindow      uint64
	early           bool // 0-RTT
	sessions        bool // of WebTransport, which need datagrams and resets that spare a stream's header
}

// listenQUIC begins to accept connections from pc. identity is nil unless there are several listeners of the port.
func listenQUIC(pc net.PacketConn, cfg *tls.Config, lim quicLimits, hooks quicHooks, identity *quicIdentity) (*quicListener, error) {
	tr := &quic.Transport{
		Conn:                pc,
		StatelessResetKey:   resetKey(),
		VerifySourceAddress: func(net.Addr) bool { return hooks.retry() },
		ConnContext: func(ctx context.Context, _ *quic.ClientInfo) (context.Context, error) {
			handshaken := hooks.begin(ctx)
			if handshaken == nil {
				return nil, errTooManyConns
			}
			return context.WithValue(ctx, handshakenKey{}, handshaken), nil
		},
	}
	identity.apply(tr)
	l, err := tr.ListenEarly(cfg, &quic.Config{
		InitialPacketSize:              packetSize,
		HandshakeIdleTimeout:           max(lim.handshake/2, time.Millisecond), // quic-go allows twice as long in all
		MaxIdleTimeout:                 lim.idle,
		MaxIncomingStreams:             lim.streams,
		MaxIncomingUniStreams:          lim.uniStreams,
		InitialStreamReceiveWindow:     min(lim.streamWindow, 256<<10),
		MaxStreamReceiveWindow:         lim.streamWindow,
		InitialConnectionReceiveWindow: min(lim.connWindow, 512<<10),
		MaxConnectionReceiveWindow:     lim.connWindow,
		RequireStreamCreditRelease:     true,
		Allow0RTT:                      lim.early,
		EnableDatagrams:                lim.sessions,

		EnableStreamResetPartialDelivery: lim.sessions,
	})
	if err != nil {
		tr.Close()
		return nil, err
	}
	return &quicListener{tr: tr, l: l}, nil
}

// resetKey returns a key with which a client is told that its connection is not known any more (RFC 9000 §10.3). Another process has
// another one.
func resetKey() *quic.StatelessResetKey {
	key := new(quic.StatelessResetKey)
	rand.Read(key[:])
	return key
}

// packetSize is the size of packets until larger ones have been acknowledged: what every way must carry (RFC 9000 §14). There are ways
// that carry no more than the 1,280 bytes of IPv6 with their headers, and do not say so.
const packetSize = 1200

// handshakenKey is the key of what quicHooks.begin has returned, in the context of a connection.
type handshakenKey struct{}

// errTooManyConns refuses a connection beyond the server's MaxConns.
var errTooManyConns = errors.New("http3: too many connections")

// accept waits for the next connection. Its handshake may not be complete.
func (l *quicListener) accept() (quicConn, error) {
	c, err := l.l.Accept(context.Background())
	return quicConn{c}, err
}

// stopAccepting refuses further connections. Those that there are go on.
func (l *quicListener) stopAccepting() {
	if l.onStop != nil {
		l.onStop()
	}
	l.l.Close()
}

// close ends everything, and leaves the socket to its owner.
func (l *quicListener) close() { l.tr.Close() }

// quicConn is a connection.
type quicConn struct{ c *quic.Conn }

func (c quicConn) localAddr() net.Addr         { return c.c.LocalAddr() }
func (c quicConn) remoteAddr() net.Addr        { return c.c.RemoteAddr() }
func (c quicConn) ended() <-chan struct{}      { return c.c.Context().Done() }
func (c quicConn) handshaken() <-chan struct{} { return c.c.HandshakeComplete() }
func (c quicConn) noteHandshaken()             { c.c.Context().Value(handshakenKey{}).(func())() }
func (c quicConn) early() bool                 { return c.c.ConnectionState().Used0RTT }
func (c quicConn) tls() tls.ConnectionState    { return c.c.ConnectionState().TLS }

// close ends the connection with a code.
func (c quicConn) close(code h3frame.Code, why string) {
	c.c.CloseWithError(quic.ApplicationErrorCode(code), why)
}

// traffic is what a connection has sent and received so far.
type traffic struct {
	sent, received int64         // bytes
	packets        uint64        // sent
	came           uint64        // packets received
	probe          time.Duration // after this time without an acknowledgement what was sent is sent again (RFC 9002 §6.2.1)
}

func (c quicConn) traffic() traffic {
	s := c.c.ConnectionStats()
	return traffic{
		sent: int64(s.BytesSent), received: int64(s.BytesReceived), packets: s.PacketsSent, came: s.PacketsReceived,
		probe: s.SmoothedRTT + max(4*s.MeanDeviation, time.Millisecond) + maxAckDelay,
	}
}

// maxAckDelay is how long a peer may hold an acknowledgement back (RFC 9000 §18.2).
const maxAckDelay = 25 * time.Millisecond

// accept waits for the next request stream.
func (c quicConn) accept() (quicStream, error) {
	s, err := c.c.AcceptStream(context.Background())
	return quicStream{s}, err
}

// acceptUni waits for the next unidirectional stream, until ctx ends. If ctx has ended it returns one that is there.
func (c quicConn) acceptUni(ctx context.Context) (quicReceive, error) {
	s, err := c.c.AcceptUniStream(ctx)
	return quicReceive{s}, err
}

// openUni opens a unidirectional stream.
func (c quicConn) openUni() (quicSend, error) {
	s, err := c.c.OpenUniStream()
	return quicSend{s}, err
}

// quicReceive is a stream of the peer's that can only be read.
type quicReceive struct{ s *quic.ReceiveStream }

func (s quicReceive) Read(p []byte) (int, error) { return s.s.Read(p) }
func (s quicReceive) stop(code h3frame.Code)     { s.s.CancelRead(quic.StreamErrorCode(code)) }
func (s quicReceive) release()                   { s.s.ReleaseStreamCredit() }
func (s quicReceive) interrupt()                 { s.s.SetReadDeadline(past) }
func (s quicReceive) readAgain()                 { s.s.SetReadDeadline(time.Time{}) }

// readNow reads what is there. If there is nothing it waits for a moment, and returns an error of which wasInterrupted is true.
func (s quicReceive) readNow(p []byte) (int, error) {
	s.s.SetReadDeadline(time.Now().Add(time.Millisecond))
	return s.s.Read(p)
}

// quicSend is a stream of ours that can only be written.
type quicSend struct{ s *quic.SendStream }

func (s quicSend) Write(p []byte) (int, error) { return s.s.Write(p) }

// quicStream is a request stream.
type quicStream struct{ s *quic.Stream }

func (s quicStream) id() uint64                         { return uint64(s.s.StreamID()) }
func (s quicStream) read(p []byte) (int, error)         { return s.s.Read(p) }
func (s quicStream) write(p []byte) (int, error)        { return s.s.Write(p) }
func (s quicStream) end() error                         { return s.s.Close() }
func (s quicStream) stop(code h3frame.Code)             { s.s.CancelRead(quic.StreamErrorCode(code)) }
func (s quicStream) reset(code h3frame.Code)            { s.s.CancelWrite(quic.StreamErrorCode(code)) }
func (s quicStream) release()                           { s.s.ReleaseStreamCredit() }
func (s quicStream) prioritize(urgency uint8, inc bool) { s.s.SetPriority(int8(urgency), inc) }

// writeAll writes p if that need not wait. Else it writes nothing, and returns false.
func (s quicStream) writeAll(p []byte) (done bool, err error) {
	err = s.s.TryWriteAll(p)
	if err == quic.ErrWouldBlock {
		return false, nil
	}
	return err == nil, err
}

// interruptRead and interruptWrite end a call that waits with an error. again allows further ones.
func (s quicStream) interruptRead()  { s.s.SetReadDeadline(past) }
func (s quicStream) interruptWrite() { s.s.SetWriteDeadline(past) }
func (s quicStream) readAgain()      { s.s.SetReadDeadline(time.Time{}) }
func (s quicStream) writeAgain()     { s.s.SetWriteDeadline(time.Time{}) }

var past = time.Unix(1, 0)

// wasInterrupted reports whether err is that of a call which interruptRead or interruptWrite has ended.
func wasInterrupted(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// onEnd calls f on a goroutine of its own when the client wants no answer any more, or the connection has ended; not when we end
// our side.
func (s quicStream) onEnd(f func()) (stop func() bool) {
	ctx := s.s.Context()
	return context.AfterFunc(ctx, func() {
		if context.Cause(ctx) != quic.ErrStreamClosed {
			f()
		}
	})
}

// unwanted reports whether the client wants no answer any more, or the connection has ended.
func (s quicStream) unwanted() bool {
	ctx := s.s.Context()
	return ctx.Err() != nil && context.Cause(ctx) != quic.ErrStreamClosed
}

// resetBy returns the code with which the peer has ended a stream for err.
func resetBy(err error) (code h3frame.Code, ok bool) {
	e, ok := errors.AsType[*quic.StreamError](err)
	if !ok || !e.Remote {
		return 0, false
	}
	return h3frame.Code(e.ErrorCode), true
}

// isClosedListener reports whether accept has failed because of stopAccepting or close.
func isClosedListener(err error) bool {
	return errors.Is(err, quic.ErrServerClosed) || errors.Is(err, quic.ErrTransportClosed)
}
