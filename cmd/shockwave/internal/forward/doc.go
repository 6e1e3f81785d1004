// Package forward is the command forward, which carries TCP connections through a session with the other end.
package forward
