package websocket

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
)

// Accept upgrades the request r to WebSocket (RFC 6455 §4.2). It works on any HTTP/1.1 server with net/http's types, and on
// nethttp's HTTP/2 server, which shows the WebSocket of a stream (RFC 8441) as such an upgrade. The handler must decide
// beforehand whether the client may connect at all. Fields that it has set in w's Header are sent with the response.
//
// A request that is not such an upgrade, or that comes from a page of a foreign origin, is refused with an error status, and the error is a *HandshakeError. The Conn outlives the handler.
func Accept(w http.ResponseWriter, r *http.Request, cfg Config) (*Conn, error) {
	s := cfg.settings()
	return s.open(s.accept(w, r, nil))
}

// accept checks the request and takes over the connection. The response has not been sent yet. check may be nil.
func (s *settings) accept(w http.ResponseWriter, r *http.Request, check func(r *http.Request) error) (*opened, error) {
	a, refused := s.shake.Accept(&handshake.Request{
		Method: r.Method, Major: r.ProtoMajor, Minor: r.ProtoMinor, Host: r.Host, Body: r.ContentLength != 0,
		Values: r.Header.Values,
	})
	if refused != nil {
		refuse(w, refused)
		return nil, handshakeError(refused)
	}
	if check != nil {
		if err := check(r); err != nil {
			refuse(w, refusal(err))
			return nil, err
		}
	}
	nc, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, handshake.ErrHijack)
		return nil, fmt.Errorf("%w: %w", handshakeError(handshake.ErrHijack), err)
	}
	return hijacked(nc, rw, a, w.Header()), nil
}

func refuse(w http.ResponseWriter, why *handshake.Error) {
	why.Fields(w.Header().Set)
	http.Error(w, why.Msg, why.Status)
}

// hijacked returns the connection that a server has given away. more are further fields of the response.
func hijacked(nc net.Conn, rw *bufio.ReadWriter, a handshake.Agreement, more http.Header) *opened {
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	nc.SetDeadline(time.Time{})
	return &opened{wsframe.Server, nc, ahead, a, a.AppendResponse(nil, more)}
}

// NativeRequest has the methods of *server.Request that Upgrade uses.
type NativeRequest interface {
	Method() []byte
	ProtoMajor() int
	ProtoMinor() int
	Host() []byte
	Header() *shockwave.Header
	ContentLength() int64
}

// NativeWriter has the methods of *server.ResponseWriter that Upgrade uses.
type NativeWriter interface {
	Header() *shockwave.Header
	Error(status int, why string) error
	Hijack() (net.Conn, *bufio.ReadWriter, error)
}

// Upgrade is Accept for the native handlers of package server, whose types implement NativeWriter and NativeRequest.
// Slices returned by the request are no longer valid afterwards.
func Upgrade(w NativeWriter, r NativeRequest, cfg Config) (*Conn, error) {
	s := cfg.settings()
	a, refused := s.shake.Accept(&handshake.Request{
		Method: string(r.Method()), Major: r.ProtoMajor(), Minor: r.ProtoMinor(), Host: string(r.Host()), Body: r.ContentLength() != 0,
		Values: func(name string) (values []string) {
			for v, i := r.Header().Next(name, 0); v != nil; v, i = r.Header().Next(name, i) {
				values = append(values, string(v))
			}
			return values
		},
	})
	if refused != nil {
		refuseNative(w, refused)
		return nil, handshakeError(refused)
	}
	more := http.Header{}
	for name, value := range w.Header().All() {
		more.Add(string(name), string(value))
	}
	nc, rw, err := w.Hijack()
	if err != nil {
		refuseNative(w, handshake.ErrHijack)
		return nil, fmt.Errorf("%w: %w", handshakeError(handshake.ErrHijack), err)
	}
	return s.open(hijacked(nc, rw, a, more), nil)
}

func refuseNative(w NativeWriter, why *handshake.Error) {
	why.Fields(w.Header().Set)
	w.Error(why.Status, why.Msg)
}
