package netconn

import (
	"net"
	"sync/atomic"
)

// Link is the part of a connection that any goroutine may use. It is common to Conn, which the engine reads from, and
// Pulled, which its user reads from. All methods may be called concurrently.
type Link struct {
	Output
	readBy atomic.Int64 // deadline of the wait for input in progress; 0: no wait, forever: no deadline
	alarm  atomic.Int64 // when the alarm of SetAlarm is due; 0: not set
}

func (l *Link) init(e *core, up reader, nc net.Conn, raw bool) {
	l.line.init(e, up, nc, raw)
	l.out.Bound = int32(e.writeBuffer)
}

// self returns l; Engine.Links finds the Link of a Conn or Pulled with it.
func (l *Link) self() *Link { return l }

// leaveEngine takes the connection off the engine's list.
func (l *Link) leaveEngine() {
	l.SetAlarm(0)
	l.eng.clock.Retire(l.parent) // the clock keeps no connection that has ended, whatever is set afterwards
	l.eng.remove(&l.line)
}
