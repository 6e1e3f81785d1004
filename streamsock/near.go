package streamsock

import (
	"sync"
	"time"
)

// nearWait is how long a Send waits for a connection that accepts no output.
const nearWait = 10 * time.Millisecond

// near bounds the output that waits for a connection within the same host. It is not a limit: if nothing leaves within
// nearWait, no Send waits again until something does. The lock of room guards it.
type near struct {
	window  int         // so much may wait; 0: the peer is on another host
	room    *sync.Cond  // where Sends wait
	stuck   bool        // nothing has left for nearWait
	timer   *time.Timer // calls timeout while there are waiters; nil before the first
	waiters int
}

// bounds reports whether Sends may have to wait.
func (w *near) bounds() bool { return w.window != 0 && !w.stuck }

// begin begins the wait of a Send.
func (w *near) begin() {
	if w.waiters++; w.timer == nil {
		w.timer = time.AfterFunc(nearWait, w.timeout)
	} else if w.waiters == 1 {
		w.timer.Reset(nearWait)
	}
}

// end ends a wait.
func (w *near) end() {
	if w.waiters--; w.waiters == 0 {
		w.timer.Stop()
	}
}

// timeout ends all waits.
func (w *near) timeout() {
	w.room.L.Lock()
	w.stuck = true
	w.room.Broadcast()
	w.room.L.Unlock()
}
