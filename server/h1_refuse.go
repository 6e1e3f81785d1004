package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// The errors for requests that the server itself refuses; http1 refuses others.
var (
	errExpectation = &http1.Error{
		Status:    417,
		Violation: shockwave.Violation{Who: shockwave.Peer, Rule: "RFC 9110 §10.1.1", Msg: "an expectation that is not 100-continue"},
	}
	errSlowHead = &http1.Error{
		Status:    408,
		Violation: shockwave.Violation{Who: shockwave.Peer, Rule: "RFC 9110 §15.5.9", Msg: "the request did not arrive in time"},
	}
)

// refuse answers a request that cannot be understood. It returns the error that ends the connection, because it is
// unknown where the next message would begin. The close is a lingering one: the client may still be sending, and a
// reset would destroy the response.
func (k *h1Conn) refuse(c *netconn.Conn, err error) error {
	status, why := 400, err.Error()
	if e, ok := errors.AsType[*http1.Error](err); ok {
		status, why = k.srv.behaviour.refusalStatus(e)
	}
	k.srv.refused.Add(1)
	k.srv.log.Debug("server: request refused", "status", status, "err", err, "remote", c.NetConn().RemoteAddr())
	k.setWriteTimeout(c)
	c.Write(k.srv.appendRefusal(nil, c.Wall(), status, why))
	return netconn.ErrDone
}

// appendRefusal appends a complete response with the given status, and why as its text.
func (s *Server) appendRefusal(dst []byte, now time.Time, status int, why string) []byte {
	pre := s.preambles.at(now)
	dst = s.appendStatus(dst, status)
	if status < 500 || !s.behaviour.quirks.has(omitsDateOn5xx) {
		dst = append(dst, pre.date...)
	}
	dst = append(dst, pre.server...)
	return s.behaviour.refusal(dst, status, why)
}

// bodyFailure returns the response to a request whose body could not be read, if the handler wrote none. A status of 0
// means no response.
func bodyFailure(err error) (status int, why string) {
	if e, ok := errors.AsType[*http1.Error](err); ok {
		return e.Status, e.Msg
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return 413, "the request's body is too large" // RFC 9110 §15.5.14
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return 400, "the request's body was cut short" // RFC 9112 §8
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 408, "the request's body did not arrive in time" // RFC 9110 §15.5.9
	}
	return 0, ""
}
