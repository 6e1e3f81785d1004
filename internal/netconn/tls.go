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

// shim is a tls.Conn and the net.Conn below it. Inside the latch it gives what the loop received and then says that
// reading would block; outside it reads on from the socket. Writes are gathered while a flusher encrypts.
type shim struct {
	c     *Conn
	tls   *tls.Conn
	below net.Conn // who reads, writes and closes after TakeOver; nil before
	in    []byte   // received and not read by the tls.Conn yet; leased
	r, w  int

	mu     sync.Mutex
	out    []byte // encrypted and not sent yet; leased
	gather bool   // a flusher is at work and sends at its end
}

// newShim puts TLS, of the side that wrap gives it, on c's transport.
func newShim(c *Conn, wrap func(net.Conn, *tls.Config) *tls.Conn, cfg *tls.Config) *shim {
	s := &shim{c: c}
	s.tls = wrap(s, cfg)
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
	if s.c.taken.Load() {
		return s.below.Read(p)
	}
	if s.c.latched {
		return 0, wouldBlock{}
	}
	n, err := s.c.nc.Read(p)
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

// Write sends p, or keeps it for the flusher that is at work. Calls come one at a time, under the tls.Conn's lock.
func (s *shim) Write(p []byte) (int, error) {
	if s.c.taken.Load() {
		return s.below.Write(p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.gather {
		if err := s.c.transmit(p, nil, false); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	if s.out == nil {
		s.out = bufpool.Get(max(len(p), gatherFrom/4))[:0]
	}
	used := len(s.out)
	s.out = append(bufpool.Grow(s.out, used+len(p))[:used], p...)
	if len(s.out) >= s.c.eng.cfg.WriteBuffer {
		return len(p), s.sendGathered(false)
	}
	return len(p), nil
}

// encrypt sends p and q through the tls.Conn, with as few writes as the bound of the queue allows.
func (s *shim) encrypt(p, q []byte, direct bool) error {
	s.mu.Lock()
	s.gather = true
	s.mu.Unlock()
	_, err := s.tls.Write(p)
	if err == nil && len(q) > 0 {
		_, err = s.tls.Write(q)
	}
	if err == nil && s.c.end == endSending {
		s.tls.CloseWrite() // its failure to send would be sendGathered's
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gather = false
	if serr := s.sendGathered(direct); err == nil {
		err = serr
	}
	return err
}

// sendGathered sends what was encrypted; s.mu is held.
func (s *shim) sendGathered(direct bool) error {
	out := s.out
	s.out = nil
	if len(out) == 0 {
		return nil
	}
	err := s.c.transmit(out, nil, direct)
	bufpool.Put(out)
	return err
}

// Close does nothing: the connection is ended by its owner. A shim that was taken over closes what is below.
func (s *shim) Close() error {
	if s.c.taken.Load() {
		return s.below.Close()
	}
	return nil
}

func (s *shim) LocalAddr() net.Addr  { return s.c.nc.LocalAddr() }
func (s *shim) RemoteAddr() net.Addr { return s.c.nc.RemoteAddr() }

func (s *shim) SetDeadline(t time.Time) error {
	if s.c.taken.Load() {
		return s.below.SetDeadline(t)
	}
	return nil
}

func (s *shim) SetReadDeadline(t time.Time) error {
	if s.c.taken.Load() {
		return s.below.SetReadDeadline(t)
	}
	return nil
}

func (s *shim) SetWriteDeadline(t time.Time) error {
	if s.c.taken.Load() {
		return s.below.SetWriteDeadline(t)
	}
	return nil
}
