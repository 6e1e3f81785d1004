package httpclient

import (
	"net"
	"time"
)

// Trace holds functions that are called as a request proceeds. Each may be nil.
type Trace struct {
	Get       func(key Key)
	Got       func(nc net.Conn, reused bool, idle time.Duration)
	FirstByte func()
	Head      func()          // is called when the head has been sent
	Expects   func()          // is called when the body begins to wait for 100 Continue
	Sent      func(err error) // is called when the whole request has been sent, or with the reason why it has not
	PutIdle   func(err error) // is called when the connection is kept for other requests, or with the reason why not
}

// requestBegun calls Got and Head, and Sent if no body follows (sends is false).
func (t *Trace) requestBegun(on connInfo, sends bool) {
	if t.Got != nil {
		t.Got(on.nc, on.reused, on.idle)
	}
	if t.Head != nil {
		t.Head()
	}
	if !sends && t.Sent != nil {
		t.Sent(nil)
	}
}

// connInfo describes the connection of an exchange to a Trace.
type connInfo struct {
	nc     net.Conn
	reused bool          // the connection has carried a request before
	idle   time.Duration // how long the connection was idle before this request
}
