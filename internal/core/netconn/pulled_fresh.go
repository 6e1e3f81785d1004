package netconn

import (
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// Fresh reports whether an idle connection can still be used: no input has arrived, not even the end of the stream, and
// writing has not failed. It does not wait. On a socket it takes one system call, and records that only concern TLS
// itself do not count as input. On any other connection it only knows what has been read. Only the reader may call it,
// while no Watch is active.
func (p *Pulled) Fresh() bool {
	if !p.in.Empty() || p.aborted() || p.out.Err() != nil {
		return false
	}
	if !p.Looks() {
		return true
	}
	q := p.ensurePuller()
	if q.peek == nil {
		q.peek = func(fd uintptr) { _, q.errno = sys.Peek(int(fd)) }
	}
	if err := q.raw.Control(q.peek); err != nil {
		return false
	}
	switch nothing := q.errno == syscall.EAGAIN; {
	case !p.tr.Secured():
		return nothing
	case nothing:
		return p.decryptsNoData() // of what the tls.Conn has read ahead
	}
	return p.receivesNoData()
}

// Looks reports whether Fresh can ask the transport. If not, only a read or a Watch detects input.
func (p *Pulled) Looks() bool { return p.tr.Socket() }

// Truncated reports, after io.EOF, whether TLS has ended without a closing alert (RFC 8446 §6.1), so that bytes may be
// missing. Only the reader may call it.
func (p *Pulled) Truncated() bool { return p.tr.Truncated() }
