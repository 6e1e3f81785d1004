// Package netconn runs connections: it accepts them, gives their input to a protocol, parks idle connections, and ends
// each connection exactly once. It does not know any protocol. It joins package output, which queues what a connection
// sends, package transport, which moves the bytes, and package clock, which keeps time.
//
// An active connection has a goroutine; an idle one only has an entry in the lot.
// docs/decisions/0001-connection-ownership.md defines which goroutine may touch which state at which time.
package netconn

// Protocol is the protocol that a connection speaks.
type Protocol interface {
	// Data receives the input that has not been taken yet, and returns how many bytes it takes. The rest is kept and
	// passed again in front of later input. in is valid until Data returns or calls a method of c that reads. Data runs
	// on the connection's goroutine, never twice at the same time, and may block for as long as it likes. After Nudge
	// it is called even without input.
	//
	// A Data that needs to read more input itself (Fill, Read) or to take over the connection (Hijack) while
	// c.Latched() is true returns ErrUnlatch: it is called again outside the latch, with the bytes that it did not
	// take.
	//
	// If Data called c.Take or a method that reads, n counts the bytes of c.Unread() that it takes in addition.
	//
	// Any other error ends the connection after the pending output has been sent. ErrDone ends it in order with a
	// lingering close, so that the peer can read the last output even if it is still sending. ErrDoneEarly does the
	// same for a protocol that has not read all of the message to which it has responded. ErrAbort ends the connection at once with a
	// reset and drops pending output. All other errors end it in order and are passed to End.
	Data(c *Conn, in []byte) (n int, err error)

	// End is called exactly once, as the last call, on the connection's goroutine, when the connection has ended or was
	// hijacked. err is nil after ErrDone, ErrDoneEarly and Hijack. It is io.EOF if the peer closed between messages,
	// io.ErrUnexpectedEOF if the peer closed and untaken bytes are left, one of ErrIdle, ErrSlow, ErrShutdown, ErrAbort
	// and ErrPanic, or the error of the socket or of Data. After ErrIdle, ErrSlow and ErrShutdown, End may append a
	// last message to the output.
	End(c *Conn, err error)
}
