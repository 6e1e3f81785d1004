package netconn

import (
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// recordRoom is what one receive of cipher text may bring: about a whole record of TLS. The tls.Conn keeps parts.
const recordRoom = 16 << 10

// shim is what stands between a tls.Conn and the net.Conn below it. While a Conn runs it, inside the latch its Read
// gives what the loop received and then says that reading would block, and what it is given to write is kept for who
// sends it. While nobody does, before Pull and after TakeOver, it hands everything on.
type shim struct {
	c     *Conn // who runs it, nil if nobody does
	tls   *tls.Conn
	below net.Conn

	in   []byte // received and not read by the tls.Conn yet; leased
	r, w int
	dry  bool // Read does not wait outside the latch either

	ready   bool // the handshake is done
	mu      sync.Mutex
	out     []byte // encrypted and not sent yet; leased
	busy    bool   // a flusher is at work, and sends what is in out
	sealing bool   // it encrypts: what comes is not TLS's own
}

// newShim puts TLS, of the side that wrap gives it, on c's transport.
func newShim(c *Conn, wrap func(net.Conn, *tls.Config) *tls.Conn, cfg *tls.Config) *shim {
	s := &shim{c: c, below: c.nc}
	s.tls = wrap(s, cfg)
	return s
}

// TLSClient is tls.Client for a connection that will be pulled. Until then it is a tls.Conn as any other; afterwards it
// runs as those do that the engine has accepted. nc must not be over TLS itself: the inner tls.Conn could go on after a
// deadline has cut a write, the outer could not.
func TLSClient(nc net.Conn, cfg *tls.Config) *tls.Conn {
	if cfg.Renegotiation != tls.RenegotiateNever {
		return tls.Client(nc, cfg) // a handshake amid a read, which cannot wait inside the latch
	}
	s := &shim{below: nc}
	s.tls = tls.Client(s, cfg)
	return s.tls
}

// idleShim returns the shim below nc if nc is a tls.Conn on one that nobody runs: of TLSClient, or taken over.
func idleShim(nc net.Conn) *shim {
	tc, ok := nc.(*tls.Conn)
	if !ok {
		return nil
	}
	s, ok := tc.NetConn().(*shim)
	if !ok || s.c != nil || !tc.ConnectionState().HandshakeComplete {
		return nil
	}
	return s
}

// wouldBlock is what Read says when the loop must receive first. It is temporary, which keeps crypto/tls from holding
// it against the connection for ever.
type wouldBlock struct{}

func (wouldBlock) Error() string   { return "netconn: reading would block" }
func (wouldBlock) Timeout() bool   { return true }
func (wouldBlock) Temporary() bool { return true }

func (s *shim) Read(p []byte) (int, error) {
	if s.r < s.w {
		n := copy(p, s.in[s.r:s.w])
		s.r += n
		if s.r == s.w {
			s.release()
		}
		return n, nil
	}
	if s.c == nil {
		return s.below.Read(p)
	}
	if s.c.latched || s.dry {
		return 0, wouldBlock{}
	}
	n, err := s.below.Read(p)
	s.c.eng.stats.in(n)
	return n, err
}

// space returns where the loop receives to.
func (s *shim) space() []byte {
	if s.in == nil {
		s.in = bufpool.Get(recordRoom)
		s.in = s.in[:cap(s.in)]
	}
	if s.r == s.w {
		s.r, s.w = 0, 0
	}
	return s.in[s.w:]
}

// release gives the buffer back; it holds nothing.
func (s *shim) release() {
	if s.in != nil {
		bufpool.Put(s.in)
		s.in, s.r, s.w = nil, 0, 0
	}
}

// Close does nothing while a Conn runs s: it is ended by its owner.
func (s *shim) Close() error {
	if s.c == nil {
		return s.below.Close()
	}
	return nil
}

func (s *shim) LocalAddr() net.Addr  { return s.below.LocalAddr() }
func (s *shim) RemoteAddr() net.Addr { return s.below.RemoteAddr() }

func (s *shim) SetDeadline(t time.Time) error {
	if s.c == nil {
		return s.below.SetDeadline(t)
	}
	return nil
}

func (s *shim) SetReadDeadline(t time.Time) error {
	if s.c == nil {
		return s.below.SetReadDeadline(t)
	}
	return nil
}

func (s *shim) SetWriteDeadline(t time.Time) error {
	if s.c == nil {
		return s.below.SetWriteDeadline(t)
	}
	return nil
}
