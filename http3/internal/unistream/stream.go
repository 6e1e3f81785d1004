package unistream

import (
	"io"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// stream is a unidirectional stream of a known type. It must not end before the connection.
type stream struct {
	u    quicconn.Receive
	read func([]byte) error // is told what arrives, in its order
	fail func(err error)    // ends the connection
}

var errCritical = &h3frame.Error{Code: h3frame.ClosedCriticalStream, Violation: shockwave.Violation{Rule: "RFC 9114 §6.2.1", Msg: "critical stream closed"}}

// tell passes on bytes that have arrived. It returns false if they have ended the connection.
func (s *stream) tell(b []byte) bool {
	err := s.read(b)
	if err != nil {
		s.fail(err)
	}
	return err == nil
}

// took passes on bytes that were read, with the error of the read. It returns false if the connection has ended.
func (s *stream) took(b []byte, err error) bool {
	if !s.tell(b) {
		return false
	}
	if _, reset := quicconn.ResetBy(err); err == io.EOF || reset {
		s.fail(errCritical)
	}
	return err == nil
}

// readOn reads until the connection has ended. It returns true if it is interrupted before.
func (s *stream) readOn(buf []byte) (interrupted bool) { return s.readBy(s.u.Read, buf) }

// readNow reads the bytes that have arrived. It returns false if the connection has ended.
func (s *stream) readNow(buf []byte) bool { return s.readBy(s.u.ReadNow, buf) }

func (s *stream) readBy(read func([]byte) (int, error), buf []byte) (interrupted bool) {
	for {
		n, err := read(buf)
		if err != nil && quicconn.WasInterrupted(err) {
			return s.tell(buf[:n])
		}
		if !s.took(buf[:n], err) {
			return false
		}
	}
}
