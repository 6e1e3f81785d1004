package server

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// What Config.NetHTTP changes about refusals, status lines and ends stands here; package nethttp sets it.

// errHeadCut is answered to a client that ends its half of the connection within a head. By itself the server says
// nothing then (RFC 9112 §8 allows both).
var errHeadCut = &http1.Error{Status: 400, Rule: "RFC 9112 §8", Msg: "the request ended within its head"}

// refusalStatus is the status of a refusal in net/http's manner: it knows one for a head that is too large, whatever
// part of it is (RFC 6585 §5), and one for every transfer coding that it does not apply.
func refusalStatus(e *http1.Error) int {
	switch {
	case e.Status == http.StatusRequestURITooLong:
		return http.StatusRequestHeaderFieldsTooLarge
	case http1.AboutCoding(e):
		return http.StatusNotImplemented
	}
	return e.Status
}

// appendStatus appends a status line. Four statuses have older words in net/http than in RFC 9110 §15.
func (s *Server) appendStatus(dst []byte, code int) []byte {
	reason := ""
	if s.cfg.NetHTTP {
		switch code {
		case 413, 414, 416, 422:
			reason = http.StatusText(code)
		}
	}
	return http1.AppendStatusLine(dst, code, reason)
}

// agree gives the status line at dst[start:] the version of the request: net/http's server answers HTTP/1.0 in kind.
func (w *ResponseWriter) agree(dst []byte, start int) []byte {
	if w.x.req.head.Minor == 0 && w.x.conn.srv.cfg.NetHTTP {
		dst[start+len("HTTP/1.")] = '0'
	}
	return dst
}

// headEnded returns how a connection is answered that ended within a head, with err; nil: not at all.
func (k *conn) headEnded(err error) *http1.Error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && k.srv.cfg.NetHTTP:
		return errHeadCut
	case errors.Is(err, netconn.ErrSlow) && !k.srv.cfg.NetHTTP:
		return errSlowHead
	}
	return nil
}

// plainHTTPAnswer is what a client is told that speaks plain HTTP to a TLS port. net/http's has its own words, which
// clients know, and tells the log, too.
func (s *Server) plainHTTPAnswer(nc net.Conn) []byte {
	if s.cfg.NetHTTP {
		s.logHandshake(nc, errPlainHTTP)
		return []byte("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")
	}
	return s.appendRefusal(nil, time.Now(), 400, "this port speaks HTTPS, the request was plain HTTP")
}

var errPlainHTTP = errors.New("client sent an HTTP request to an HTTPS server")

// logHandshake tells of a TLS handshake that failed: net/http's server does so where others can see it.
func (s *Server) logHandshake(nc net.Conn, err error) {
	if s.cfg.NetHTTP {
		s.log.Warn("TLS handshake error from " + nc.RemoteAddr().String() + ": " + err.Error())
		return
	}
	s.log.Debug("server: TLS handshake failed", "err", err, "remote", nc.RemoteAddr())
}

// closesUnsaid tells whether the answer ends the connection without a word: a status line of HTTP/1.0 says it
// (RFC 9112 §9.3). A wish of the handler's is passed on.
func (w *ResponseWriter) closesUnsaid(a asked) bool {
	return w.x.req.head.Minor == 0 && w.x.conn.srv.cfg.NetHTTP && !a.wishes.has(wantsClose)
}

// leavesBody tells whether a body that a handler has left in full duplex ends the connection, as with net/http; else a
// small rest is read.
func (w *ResponseWriter) leavesBody() bool {
	body := &w.x.req.body
	return w.duplex && w.x.conn.srv.cfg.NetHTTP && (!body.Ended() || body.Held() > 0)
}

// leave is told that x's handler has perhaps called runtime.Goexit. net/http's server ends the connection in silence then.
func (k *conn) leave(x *exchange) {
	if k.srv.cfg.NetHTTP {
		x.c.LeaveInOrder()
	}
}

// wantsContinue tells whether a client that expects 100 Continue is told so even if its body is here already.
func (x *exchange) wantsContinue() bool { return x.req.head.Expect && x.conn.srv.cfg.NetHTTP }

// hidesLength tells whether an answer to HEAD has a length that GET would not tell: GET's would have been streamed.
func (w *ResponseWriter) hidesLength(known int64) bool {
	cfg := &w.x.conn.srv.cfg
	return cfg.NetHTTP && w.x.req.method == isHead && known > int64(cfg.WriteBufferSize)
}
