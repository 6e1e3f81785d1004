package webtransport

import (
	"fmt"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// readAtOnce is how much of the stream of a CONNECT is read at once: there is little to read, for as long as the session lasts.
const readAtOnce = 256

// read reads the capsules of the session, until the client has ended its side of the stream. After the session's end it has
// Config.CloseTimeout to do that. If it were told at once that no more is wanted, it might see that before it sees how the session has ended.
func (s *Session) read(b []byte) {
	defer close(s.gone)
	defer s.nc.Close()
	var in h3frame.Capsules
	buf := make([]byte, readAtOnce)
	for {
		var closed *SessionError
		bad := in.Read(b, func(c h3frame.Capsule) {
			if c.Type == h3frame.CloseSession {
				closed = &SessionError{Code: c.Code, Reason: string(c.Reason), Remote: true}
			} else {
				s.capsule(c.Type)
			}
		})
		first := closed != nil && s.end(closed)
		if bad != nil {
			s.refuse(bad)
			return
		}
		if first {
			s.half.CloseWrite()
			s.limitRest()
		}
		n, err := s.nc.Read(buf)
		b = buf[:n]
		switch {
		case n > 0 || err == nil: // an error comes again
		case err == io.EOF:
			if bad := in.End(); bad != nil {
				s.refuse(bad)
			} else {
				s.end(&SessionError{Remote: true})
			}
			return
		default:
			s.end(fmt.Errorf("webtransport: session broken: %w", err))
			return
		}
	}
}

// capsule handles a capsule of the client that does not end the session.
func (s *Session) capsule(t h3frame.CapsuleType) {
	if t == h3frame.DrainSession {
		s.drain.Do(func() { close(s.draining) })
	} else {
		s.conn.ChargeCapsule()
	}
}

// limitRest limits how long the client's side of the stream may go on.
func (s *Session) limitRest() {
	if s.cfg.CloseTimeout > 0 {
		s.nc.SetReadDeadline(time.Now().Add(s.cfg.CloseTimeout))
	}
}

// refuse ends a session whose client breaks a rule.
func (s *Session) refuse(err *h3frame.Error) {
	s.end(err)
	s.conn.Abort(err)
}

// end ends the session on this side without telling the client. It reports whether the session had not ended before.
func (s *Session) end(cause error) bool {
	s.mu.Lock()
	live := s.live
	s.live = nil
	s.mu.Unlock()
	if live == nil {
		return false
	}
	s.conn.Leave()
	s.cancel(cause)
	s.streams.close()
	s.uni.close()
	s.datagrams.close()
	for h := range live {
		h.abort()
	}
	return true
}

// Close ends the session. The client gets the code and at most 1,024 bytes of the reason. All streams are reset:
// bytes that have not arrived may be lost, except on streams that CloseWrite has ended. Close waits until the client has ended its
// side, for Config.CloseTimeout. After the session's end it returns net.ErrClosed.
func (s *Session) Close(code uint32, reason string) error {
	if !s.end(&SessionError{Code: code, Reason: reason}) {
		return net.ErrClosed
	}
	s.limitRest()
	err := s.send(h3frame.AppendCloseSession(nil, code, reason))
	if err == nil {
		err = s.half.CloseWrite()
	}
	if err != nil {
		s.conn.Abort(errUntold)
	}
	<-s.gone
	return err
}

var (
	errUntold   = &h3frame.Error{Code: h3frame.SessionGone, Scope: h3frame.Stream, Violation: shockwave.Violation{Who: shockwave.Local, Rule: "draft-ietf-webtrans-http3 §6", Msg: "the client does not read the end of the session"}}
	errPanicked = &h3frame.Error{Code: h3frame.InternalError, Scope: h3frame.Stream, Violation: shockwave.Violation{Who: shockwave.Local, Rule: "RFC 9114 §4.1", Msg: "the handler of the session panicked"}}
)

// send sends a capsule. A client that does not take it in time ends the session.
func (s *Session) send(capsule []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.cfg.CloseTimeout > 0 {
		s.nc.SetWriteDeadline(time.Now().Add(s.cfg.CloseTimeout))
		defer s.nc.SetWriteDeadline(time.Time{})
	}
	_, err := s.nc.Write(capsule)
	return err
}

// goAway asks the client to end the session soon.
func (s *Session) goAway() {
	s.drain.Do(func() { close(s.draining) })
	if err := s.send(h3frame.AppendDrainSession(nil)); err != nil && s.end(err) {
		s.conn.Abort(errUntold)
	}
}
