// Package httpread reads HTTP/1.1 messages from a connection: whole heads, and bodies as they arrive.
//
// It joins package http1, which does no I/O, to a Conn, which knows no HTTP. A server that is called with the bytes
// that arrived, as a netconn.Protocol is, parses heads itself and uses this package only for bodies.
package httpread

// Conn is a connection with a buffer of received bytes. *netconn.Conn and *Buffer implement it.
type Conn interface {
	// Unread returns the received bytes that have not been taken. They are valid until the next Fill or Read.
	Unread() []byte
	// Take removes the first n bytes of Unread.
	Take(n int)
	// Fill waits until more bytes have been received and returns Unread. If it fails, the unread bytes are kept.
	Fill() ([]byte, error)
	// Read copies from Unread and takes what it copied. If Unread is empty, it receives into p.
	Read(p []byte) (int, error)
}
