package websocket

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Accept answers r's upgrade to WebSocket (RFC 6455 §4.2), on any HTTP/1.1 server of net/http's types. Whether the
// client may connect at all, its handler decides before; fields that it has set in w's Header go with the answer.
//
// A request that is no such upgrade, or comes from a page of a foreign origin, is answered with the status that says so,
// and the error is a *HandshakeError. The Conn outlives the handler.
func Accept(w http.ResponseWriter, r *http.Request, cfg Config) (*Conn, error) {
	s := cfg.settings()
	o := opening{method: r.Method, minor: r.ProtoMinor, host: r.Host, body: r.ContentLength != 0, values: r.Header.Values}
	if r.ProtoMajor != 1 {
		o.minor = 0
	}
	a, refused := s.answer(&o)
	if refused != nil {
		refuse(w, refused)
		return nil, refused
	}
	nc, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, errHijack)
		return nil, err
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	return s.begin(nc, ahead, &a, a.appendAnswer(nil, w.Header()))
}

func refuse(w http.ResponseWriter, why *HandshakeError) {
	h := w.Header()
	h.Set("Sec-WebSocket-Version", "13")
	if why.Status == http.StatusUpgradeRequired {
		h.Set("Upgrade", "websocket")
		h.Set("Connection", "Upgrade")
	}
	if why == errMethod {
		h.Set("Allow", http.MethodGet)
	}
	http.Error(w, why.Msg, why.Status)
}

// NativeRequest is what Upgrade needs of a *server.Request.
type NativeRequest interface {
	Method() []byte
	Minor() int
	Host() []byte
	Header() *shockwave.Header
	ContentLength() int64
}

// NativeWriter is what Upgrade needs of a *server.ResponseWriter.
type NativeWriter interface {
	Header() *shockwave.Header
	Error(status int, why string) error
	Hijack() (net.Conn, *bufio.ReadWriter, error)
}

// Upgrade is Accept for the native handlers of package server, whose types satisfy NativeWriter and NativeRequest.
// Slices that the request gave out are no longer valid afterwards.
func Upgrade(w NativeWriter, r NativeRequest, cfg Config) (*Conn, error) {
	s := cfg.settings()
	o := opening{
		method: string(r.Method()), minor: r.Minor(), host: string(r.Host()), body: r.ContentLength() != 0,
		values: func(name string) (values []string) {
			for v, i := r.Header().Next(name, 0); v != nil; v, i = r.Header().Next(name, i) {
				values = append(values, string(v))
			}
			return values
		},
	}
	a, refused := s.answer(&o)
	if refused != nil {
		refuseNative(w, refused)
		return nil, refused
	}
	more := http.Header{}
	for i := range w.Header().Len() {
		name, value := w.Header().At(i)
		more.Add(string(name), string(value))
	}
	nc, rw, err := w.Hijack()
	if err != nil {
		return nil, err
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	return s.begin(nc, ahead, &a, a.appendAnswer(nil, more))
}

func refuseNative(w NativeWriter, why *HandshakeError) {
	h := w.Header()
	h.Set("Sec-WebSocket-Version", "13")
	if why.Status == http.StatusUpgradeRequired {
		h.Set("Upgrade", "websocket")
		h.Set("Connection", "Upgrade")
	}
	if why == errMethod {
		h.Set("Allow", http.MethodGet)
	}
	w.Error(why.Status, why.Msg)
}

// begin makes a Conn of nc, from which ahead has been read; hello, the answer to the handshake, is its first output.
func (s *settings) begin(nc net.Conn, ahead []byte, a *accepted, hello []byte) (*Conn, error) {
	nc.SetDeadline(time.Time{})
	return s.open(wsframe.Server, nc, ahead, a, hello)
}

// greet puts c on its group's list and then sends hello: a peer that has it does not miss what is broadcast.
func (c *Conn) greet(hello []byte) error {
	c.t.Hold(true)
	if _, err := c.t.Write(hello); err != nil {
		return err
	}
	if !c.set.group.add(c) {
		return ErrGroupClosed
	}
	c.t.Hold(false)
	return c.t.Flush()
}

// open makes a Conn of nc whose handshake has been agreed on.
func (s *settings) open(role wsframe.Role, nc net.Conn, ahead []byte, a *accepted, hello []byte) (*Conn, error) {
	engine, err := s.Group.start()
	if err != nil {
		nc.Close()
		return nil, err
	}
	c := &Conn{nc: nc, set: s.conduct(), role: role, sub: strings.Clone(a.subprotocol)}
	c.in = inbound{seq: wsframe.Incoming(role, 0), limit: s.readLimit}
	c.noteSign()
	if c.t, err = engine.Pull(nc, ahead, s.OnMessage == nil); err != nil {
		return nil, ErrGroupClosed
	}
	if a.deflate != nil {
		c.in.seq = wsframe.Incoming(role, wsframe.RSV1)
		c.compress, c.in.inflate = a.deflate.start(role)
	}
	if err = c.greet(hello); err != nil {
		c.abandon(err)
		return nil, err
	}
	if s.OnMessage != nil {
		c.serve(s.OnOpen)
	}
	return c, nil
}
