package httpclient

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http2"
)

// Key is what connections can stand in for each other for.
type Key struct {
	Secure  bool   // TLS
	Host    string // with its port, unless it is the scheme's
	Via     string // the proxy, as the face's Target knows it; empty for none
	Version Version
}

// Version is which versions of HTTP may be spoken.
type Version uint8

// The versions.
const (
	Any   Version = iota // HTTP/2 if the server chooses it in the TLS handshake, else HTTP/1.1
	HTTP1                // HTTP/1.1
	HTTP2                // HTTP/2, without TLS by prior knowledge (RFC 9113 §3.3)
)

// Head is what a request says before its body.
type Head interface {
	// AppendHTTP1 appends the request line, the fields and the empty line. straight: the request goes to its server or
	// through a tunnel, else to a proxy in absolute-form (RFC 9112 §3.2.2).
	AppendHTTP1(dst []byte, straight bool) []byte
	// AppendHead appends the fields to the header section that was begun, pseudo-fields first. It must not wait.
	AppendHead(wire *http2.Conn, dst []byte) []byte
}

// Call is a request as it is sent. It can be used again when its Response has been closed and Sent, if set, been called.
type Call struct {
	Method string
	Key    Key
	Head   Head

	// Body, unless nil, is the request's body, which is closed in any case; Bytes is one that is there already, and not
	// changed until the Response is closed. Length is how long it is, -1 if that is not known.
	Body   io.ReadCloser
	Bytes  []byte
	Length int64
	// Rewind returns the body anew, for another attempt. Nil: it cannot be had again.
	Rewind func() (io.ReadCloser, error)
	// Trailer, if not nil, is asked for the trailer section when the body has been read.
	Trailer func() (*shockwave.Header, error)

	Replayable bool          // sending it twice does no harm (RFC 9110 §9.2.2)
	Close      bool          // its connection is used for no other request
	Tunnel     bool          // a 2xx opens a tunnel: CONNECT
	Expect     time.Duration // how long the body waits for 100 Continue; 0: it does not
	Timeouts   *Timeouts
	Trace      *Trace // nil is none

	// Interim, unless nil, is told of informational responses; an error ends the request with it. h is borrowed.
	Interim func(status int, h *shockwave.Header) error

	// Waits, unless nil, is called when the request has to wait for a connection of HTTP/1.1, or to see which version the
	// server speaks, and returns the context that ends the wait, made of the one it is given.
	Waits func(ctx context.Context) context.Context

	head []byte // kept
}

// Timeouts bound the parts of a request. Zero is none.
type Timeouts struct {
	Head time.Duration // from the request's end until the response's head
	Idle time.Duration // for the next byte of the response's body
}

// Trace is told what becomes of a request. Each function may be nil.
type Trace struct {
	Get       func(key Key)
	Got       func(nc net.Conn, reused bool, idle time.Duration)
	FirstByte func()
	Head      func()          // the head has been sent
	Expects   func()          // the body waits for 100 Continue
	Sent      func(err error) // the request has been sent, or not
	PutIdle   func(err error) // the connection is kept for other requests, or not
}

// begun tells of a connection, and that the head has been sent on it; without sends all of the request has.
func (t *Trace) begun(on connInfo, sends bool) {
	if t == nil {
		return
	}
	if t.Got != nil {
		t.Got(on.nc, on.reused, on.idle)
	}
	if t.Head != nil {
		t.Head()
	}
	if !sends && t.Sent != nil {
		t.Sent(nil)
	}
}
