package streamsock

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// writer says who writes to a connection. Peer.mu guards it.
type writer struct {
	gather netconn.Gather // when the queue is sent
	busy   bool           // a goroutine is about to write: others put their messages into the queue
	broken bool           // writing has failed
}

// idle reports whether no goroutine writes, or is going to.
func (w *writer) idle() bool { return !w.busy && !w.gather.Asked() }

// begin begins to write a message of n bytes, past an empty queue. It reports false if the message is to be queued: another
// goroutine writes, or the message is to be gathered with others because the peer has not answered what was sent before.
func (w *writer) begin(n int) bool {
	if !w.idle() || (n < large || w.broken) && w.gather.Unanswered() {
		return false
	}
	w.busy = true
	w.gather.Sends()
	return true
}

// ask asks for a draw, and reports whether the caller must call Draw.
func (w *writer) ask() bool { return !w.busy && w.gather.Ask() }
