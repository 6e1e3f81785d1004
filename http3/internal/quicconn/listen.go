package quicconn

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/quic-go/quic-go"
)

// Listener accepts connections on a socket.
type Listener struct {
	tr     *quic.Transport
	l      *quic.EarlyListener
	onStop func()
}

// Hooks are the functions that a listener calls.
type Hooks struct {
	Retry func() bool                                   // whether a client must prove its address first
	Begin func(ctx context.Context) (handshaken func()) // a connection begins; ctx ends with it; nil: refused
	Stop  func()                                        // is called before further connections are refused; it may be nil
}

// Limits are the limits of connections.
type Limits struct {
	Handshake, Idle time.Duration
	Streams         int64 // requests at once
	UniStreams      int64
	StreamWindow    uint64
	ConnWindow      uint64
	Early           bool // 0-RTT
	Sessions        bool // of WebTransport, which need datagrams and resets that spare a stream's header
}

// config returns the configuration of connections with these limits. Windows begin with streamWindow and connWindow bytes.
func (lim *Limits) config(streamWindow, connWindow uint64) *quic.Config {
	return &quic.Config{
		InitialPacketSize:              packetSize,
		HandshakeIdleTimeout:           lim.Handshake,
		MaxIdleTimeout:                 lim.Idle,
		MaxIncomingStreams:             lim.Streams,
		MaxIncomingUniStreams:          lim.UniStreams,
		InitialStreamReceiveWindow:     min(lim.StreamWindow, streamWindow),
		MaxStreamReceiveWindow:         lim.StreamWindow,
		InitialConnectionReceiveWindow: min(lim.ConnWindow, connWindow),
		MaxConnectionReceiveWindow:     lim.ConnWindow,
		RequireStreamCreditRelease:     true,
	}
}

// MaxUniStreams is how many unidirectional streams a peer may have open: its control stream, two of QPACK, and a few of types unknown
// to us.
const MaxUniStreams = 10

// Identity is the part that the listeners of one port share; see package sharedport.
type Identity interface {
	ResetKey() [32]byte
	TokenKey() [32]byte
	AppendID(dst []byte) []byte // a new identifier of a connection, of IDLen bytes
	IDLen() int
}

// Listen begins to accept connections from pc. identity is nil unless there are several listeners of the port.
func Listen(pc net.PacketConn, cfg *tls.Config, lim Limits, hooks Hooks, identity Identity) (*Listener, error) {
	tr := &quic.Transport{
		Conn:                pc,
		StatelessResetKey:   resetKey(),
		VerifySourceAddress: func(net.Addr) bool { return hooks.Retry() },
		ConnContext: func(ctx context.Context, _ *quic.ClientInfo) (context.Context, error) {
			handshaken := hooks.Begin(ctx)
			if handshaken == nil {
				return nil, errTooManyConns
			}
			return context.WithValue(ctx, handshakenKey{}, handshaken), nil
		},
	}
	if identity != nil {
		reset, token := quic.StatelessResetKey(identity.ResetKey()), quic.TokenGeneratorKey(identity.TokenKey())
		tr.ConnectionIDGenerator, tr.StatelessResetKey, tr.TokenGeneratorKey = generator{identity}, &reset, &token
	}
	qc := lim.config(256<<10, 512<<10)
	qc.HandshakeIdleTimeout = max(lim.Handshake/2, time.Millisecond) // quic-go allows twice as long in all
	qc.Allow0RTT = lim.Early
	qc.EnableDatagrams, qc.EnableStreamResetPartialDelivery = lim.Sessions, lim.Sessions
	l, err := tr.ListenEarly(cfg, qc)
	if err != nil {
		tr.Close()
		return nil, err
	}
	return &Listener{tr: tr, l: l, onStop: hooks.Stop}, nil
}

// generator adapts an Identity to quic-go.
type generator struct{ Identity }

// GenerateConnectionID implements quic.ConnectionIDGenerator.
func (g generator) GenerateConnectionID() (quic.ConnectionID, error) {
	return quic.ConnectionIDFromBytes(g.AppendID(make([]byte, 0, g.IDLen()))), nil
}

// ConnectionIDLen implements quic.ConnectionIDGenerator.
func (g generator) ConnectionIDLen() int { return g.IDLen() }

// resetKey returns the key of stateless resets (RFC 9000 §10.3), which tell a client that its connection is unknown. Each process has
// a different one.
func resetKey() *quic.StatelessResetKey {
	key := new(quic.StatelessResetKey)
	rand.Read(key[:])
	return key
}

// packetSize is the size of packets until larger ones have been acknowledged: every path must carry it (RFC 9000 §14). There are paths
// that carry no more than the 1,280 bytes of IPv6 with their headers, and do not say so.
const packetSize = 1200

// handshakenKey is the key of the function that Hooks.Begin has returned, in the context of a connection.
type handshakenKey struct{}

// errTooManyConns refuses a connection beyond the server's MaxConns.
var errTooManyConns = errors.New("http3: too many connections")

// Accept waits for the next connection. Its handshake may not be complete.
func (l *Listener) Accept() (Conn, error) {
	c, err := l.l.Accept(context.Background())
	return Conn{c}, err
}

// StopAccepting refuses further connections. Existing ones go on.
func (l *Listener) StopAccepting() {
	if l.onStop != nil {
		l.onStop()
	}
	l.l.Close()
}

// Close ends all connections, and leaves the socket to its owner.
func (l *Listener) Close() { l.tr.Close() }

// IsClosedListener reports whether Accept has failed because of StopAccepting or Close.
func IsClosedListener(err error) bool {
	return errors.Is(err, quic.ErrServerClosed) || errors.Is(err, quic.ErrTransportClosed)
}
