package server

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/linger"
)

// handshakeFailed tells a client that speaks plain HTTP to a TLS port what it did wrong. What it sent looks like a TLS
// record of an absurd kind: the first bytes of a request line.
func (s *Server) handshakeFailed(nc net.Conn, err error) {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	if !ok || !startsRequest(record.RecordHeader) {
		s.behaviour.logHandshakeError(s.log, nc.RemoteAddr(), err)
		return
	}
	s.refused.Add(1)
	s.behaviour.logHandshakeError(s.log, nc.RemoteAddr(), errPlainHTTP)
	answer := []byte(s.behaviour.plainHTTP) // which clients know
	if len(answer) == 0 {
		answer = s.appendRefusal(nil, time.Now(), 400, "this port speaks HTTPS, the request was plain HTTP")
	}
	end := time.Now().Add(time.Second)
	nc.SetDeadline(end)
	nc.Write(answer)
	linger.HearOut(nc, plainHTTPBytes, end)
}

var errPlainHTTP = errors.New("client sent an HTTP request to an HTTPS server")

// plainHTTPBytes is how much of a misdirected request is read and thrown away.
const plainHTTPBytes = 64 << 10

// startsRequest reports whether five bytes look like the start of a request line: a method in capitals, or one and a space.
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
