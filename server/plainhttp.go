package server

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/linger"
)

// handshakeFailed logs a failed TLS handshake. A client that speaks plain HTTP to a TLS port gets a response that says
// so: the bytes of its request line look like a TLS record of an invalid type.
func (s *service) handshakeFailed(nc net.Conn, err error) {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	if !ok || !startsRequest(record.RecordHeader) {
		s.behaviour.LogHandshakeError(s.log, nc.RemoteAddr(), err)
		return
	}
	s.refused.Add(1)
	s.behaviour.LogHandshakeError(s.log, nc.RemoteAddr(), errPlainHTTP)
	response := []byte(s.behaviour.PlainHTTP) // a text that clients know
	if len(response) == 0 {
		response = s.appendRefusal(nil, time.Now(), 400, "this port speaks HTTPS, the request was plain HTTP")
	}
	end := time.Now().Add(time.Second)
	nc.SetDeadline(end)
	nc.Write(response)
	linger.Drain(nc, plainHTTPBytes, end)
}

var errPlainHTTP = errors.New("client sent an HTTP request to an HTTPS server")

// plainHTTPBytes is how many bytes of such a request are read and discarded.
const plainHTTPBytes = 64 << 10

// startsRequest reports whether b looks like the start of a request line: five capitals, or fewer and a space.
func startsRequest(b [5]byte) bool {
	for i, c := range b {
		if c == ' ' && i > 0 {
			return true
		}
		if b[i] < 'A' || b[i] > 'Z' {
			return false
		}
	}
	return true
}
