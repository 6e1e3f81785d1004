package netconn

import (
	"syscall"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// Fresh tells, without waiting, whether a connection that nobody reads from is as it was: nothing has come, not even the
// end of the stream, and it can be written to. On a socket that is one system call; what TLS has said for itself does not
// count. Of any other connection it knows no more than what has been read. It is the reader's, when nothing is watched.
func (p *Pulled) Fresh() bool {
	if p.r < p.w || p.aborted() || p.out.Err() != nil {
		return false
	}
	if !p.Looks() {
		return true
	}
	if p.puller == nil {
		p.puller = p.newPuller()
	}
	q := p.puller
	if q.peek == nil {
		q.peek = func(fd uintptr) { _, q.errno = sys.Peek(int(fd)) }
	}
	if err := q.raw.Control(q.peek); err != nil {
		return false
	}
	if !p.tr.Secured() {
		return q.errno == syscall.EAGAIN
	}
	return q.errno == syscall.EAGAIN && !p.tr.Buffered() || p.receivesNoData()
}

// Looks reports whether Fresh can look: else only who reads, or watches, sees what comes.
func (p *Pulled) Looks() bool { return p.tr.Socket() }

// Torn tells, after io.EOF, whether TLS has not ended as it should (RFC 8446 §6.1): bytes may be missing. It is the reader's.
func (p *Pulled) Torn() bool { return p.tr.Truncated() }
