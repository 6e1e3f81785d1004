// Package httpread reads HTTP/1.1 messages from a connection: heads until they are whole, bodies as they arrive.
//
// It joins package http1, which does no I/O, to a Conn, which knows no HTTP. Who is given bytes as they come, as a server's
// protocol is, needs it for bodies alone and parses heads itself.
package httpread

// Conn is a connection whose received bytes lie in a buffer until they are taken. A *netconn.Conn is one, and a *Buffer.
type Conn interface {
	// Unread returns what has been received and not taken, valid until the next Fill or Read.
	Unread() []byte
	// Take says that n bytes of Unread are taken.
	Take(n int)
	// Fill waits until more has been received and returns Unread. What is unread stays when it fails.
	Fill() ([]byte, error)
	// Read takes from Unread, or, if that is empty, receives into p.
	Read(p []byte) (int, error)
}
