package netconn

import (
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/deepstack"
)

// Unhurried makes Quit wait for transports that are not sockets, however busy the machine is.
func Unhurried(t *testing.T) {
	before := quitTimeout
	quitTimeout = time.Minute
	t.Cleanup(func() { quitTimeout = before })
}

// WakeWriter does what the clock does to look at a wait for the socket.
func WakeWriter(l *Link) { l.tr.WakeWriter() }

// Below returns the transport of l, below TLS.
func Below(l *Link) net.Conn { return l.tr.Below() }

// Pending returns how many bytes wait to be sent.
func Pending(l *Link) int { return l.out.Pending() }

// StatsOf returns the counters of l's engine.
func StatsOf(l *Link) Stats { return l.eng.Stats() }

// ReaderWaits reports whether the reader of l waits, and its deadline is set on the clock.
func ReaderWaits(l *Link) bool { return l.readBy.Load() != 0 }

// WriterWaits reports whether a goroutine or the lot waits for l's peer to take output.
func WriterWaits(l *Link) bool { return l.writeBy.Load() != 0 }

// WriterLooks reports whether it is time for a writer that waits for l's peer to look at it, and it has not done so yet.
func WriterLooks(l *Link) bool {
	by := l.writeBy.Load()
	return by != 0 && by <= l.eng.clock.Now()
}

// Left reports whether a flusher has left output to the lot.
func Left(l *Link) bool { return l.out.Left() }

// Stack returns the address of the caller's stack.
func Stack() uintptr {
	var local byte
	return deepstack.AddressOf(&local)
}

// KeepsStack reports whether the goroutine of c, which waits, keeps a deep stack.
func KeepsStack(c *Conn) bool { return c.stack.Kept() }

// HasExtra reports whether l has the state that few connections need.
func HasExtra(l *Link) bool { return l.extra.Load() != nil }
