package netlisten

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// Limits of a pause.
const (
	minPause = 5 * time.Millisecond
	maxPause = time.Second
)

// Pause is how long to wait after an accept that failed for lack of descriptors or memory. The zero Pause is ready for use.
type Pause time.Duration

// Failed returns how long to wait now: twice as long as before.
func (p *Pause) Failed() time.Duration {
	*p = Pause(min(max(2*time.Duration(*p), minPause), maxPause))
	return time.Duration(*p)
}

// Succeeded makes the next pause a short one.
func (p *Pause) Succeeded() { *p = 0 }

// IsTemporary reports whether an accept error may go away: descriptors or memory ran out, or the peer left the listen
// queue.
func IsTemporary(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	var ne net.Error
	//lint:ignore SA1019 Temporary means just this, for listeners that are not sockets.
	return errors.As(err, &ne) && ne.Temporary()
}

// IsOwn reports whether only the engine uses the connections that l accepts. A listener defined elsewhere may keep a
// connection: its Close there would wait for the latch, and a deadline set there would not be noticed inside it.
func IsOwn(l net.Listener) bool {
	switch l := l.(type) {
	case *net.TCPListener, *net.UnixListener:
		return true
	case *Labelled:
		return IsOwn(l.Listener)
	}
	return false
}
