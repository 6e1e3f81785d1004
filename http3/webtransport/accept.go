package webtransport

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/pageorigin"
)

// Accept opens the session that the request r asks for (draft-ietf-webtrans-http3 §3.2). It works with nethttp's types on a server of
// package http3. The handler must decide beforehand whether the client may open one at all. Fields that it has set in w's Header are sent
// with the response.
//
// A request for anything else, or from a page of a foreign origin, gets an error status, and the error is a *HandshakeError.
// The Session outlives the handler, but ends if the handler panics.
func Accept(w http.ResponseWriter, r *http.Request, cfg Config) (*Session, error) {
	cfg = cfg.withDefaults()
	o := handshake{method: r.Method, major: r.ProtoMajor, host: r.Host, values: func(name string) []string {
		if name == protocolField {
			return r.Header[name]
		}
		return r.Header.Values(name)
	}}
	h, taken := tunneler(w)
	refused := o.check(&cfg)
	if refused == nil && !taken {
		refused = errTakeOver
	}
	if refused != nil {
		if refused == errMethod {
			w.Header().Set("Allow", http.MethodConnect)
		}
		http.Error(w, refused.Msg, refused.Status)
		return nil, refused
	}
	chosen := o.choose(cfg.Protocols)
	o.respond(chosen, w.Header().Set)
	w.WriteHeader(http.StatusOK)
	nc, rw, err := h.HijackTunnel()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errTakeOver, err)
	}
	return open(context.WithoutCancel(r.Context()), nc, rw, chosen, cfg)
}

// tunnelTaker is a method of package nethttp's responses that hands the stream of a CONNECT over.
type tunnelTaker interface {
	HijackTunnel() (net.Conn, *bufio.ReadWriter, error)
}

// tunneler finds the response inside the wrappers of middleware.
func tunneler(w http.ResponseWriter) (tunnelTaker, bool) {
	for {
		switch t := w.(type) {
		case tunnelTaker:
			return t, true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil, false
		}
	}
}

// NativeRequest has the methods of *server.Request that Upgrade uses.
type NativeRequest interface {
	Method() []byte
	ProtoMajor() int
	Host() []byte
	Header() *shockwave.Header
}

// NativeWriter has the methods of *server.ResponseWriter that Upgrade uses.
type NativeWriter interface {
	Header() *shockwave.Header
	Error(status int, why string) error
	Hijack() (net.Conn, *bufio.ReadWriter, error)
}

// Upgrade is Accept for the native handlers of package server, whose types implement NativeWriter and NativeRequest. Slices returned
// by the request are no longer valid afterwards.
func Upgrade(w NativeWriter, r NativeRequest, cfg Config) (*Session, error) {
	cfg = cfg.withDefaults()
	o := handshake{
		method: string(r.Method()), major: r.ProtoMajor(), host: string(r.Host()),
		values: func(name string) (values []string) {
			for v, i := r.Header().Next(name, 0); v != nil; v, i = r.Header().Next(name, i) {
				values = append(values, string(v))
			}
			return values
		},
	}
	if refused := o.check(&cfg); refused != nil {
		if refused == errMethod {
			w.Header().Set("Allow", http.MethodConnect)
		}
		w.Error(refused.Status, refused.Msg)
		return nil, refused
	}
	chosen := o.choose(cfg.Protocols)
	o.respond(chosen, func(name, value string) { w.Header().Set(name, value) })
	nc, rw, err := w.Hijack()
	if err != nil {
		w.Error(errTakeOver.Status, errTakeOver.Msg)
		return nil, fmt.Errorf("%w: %w", errTakeOver, err)
	}
	return open(context.Background(), nc, rw, chosen, cfg)
}

// open starts a session on the stream nc, which has been taken over.
func open(ctx context.Context, nc net.Conn, rw *bufio.ReadWriter, protocol string, cfg Config) (*Session, error) {
	t, ok := nc.(interface {
		Carrier() carrier.Stream
		Abort() error
		CloseWrite() error
	})
	if !ok {
		nc.Close()
		return nil, errTakeOver
	}
	host, ok := t.Carrier().(session.Host)
	if !ok {
		t.Abort()
		return nil, errTakeOver
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	s := newSession(ctx, nc, t, protocol, cfg)
	if !host.OpenSession((*guest)(s)) {
		t.Abort()
		return nil, errNotOffered
	}
	go s.read(slices.Clone(ahead))
	return s, nil
}

// handshake is the part of a request that opens a session.
type handshake struct {
	method string
	major  int
	host   string
	values func(name string) []string // of the field with this canonical name
}

// protocolField is the pseudo-field of extended CONNECT, as handlers see it (RFC 9220).
const protocolField = ":protocol"

// The reasons to refuse.
var (
	errMethod     = &HandshakeError{http.StatusMethodNotAllowed, "the method is not CONNECT (RFC 9220 §3)"}
	errVersion    = &HandshakeError{http.StatusNotImplemented, "the version is not HTTP/3"}
	errProtocol   = &HandshakeError{http.StatusMethodNotAllowed, "the protocol is not webtransport (draft-ietf-webtrans-http3 §3.2)"}
	errOrigin     = &HandshakeError{http.StatusForbidden, "origin not allowed (draft-ietf-webtrans-http3 §3.2)"}
	errTakeOver   = &HandshakeError{http.StatusInternalServerError, "the stream cannot be taken over: the server does not belong to package http3"}
	errNotOffered = &HandshakeError{http.StatusOK, "WebTransport is not offered (http3.Config.WebTransportSessions), or the client has gone"}
)

// check checks that the request asks for a session.
func (o *handshake) check(cfg *Config) *HandshakeError {
	p := strings.Join(o.values(protocolField), ",")
	switch {
	case o.method != http.MethodConnect:
		return errMethod
	case o.major != 3:
		return errVersion
	case p != "webtransport" && p != "webtransport-h3":
		return errProtocol
	case !cfg.allows(o.values("Origin"), o.host):
		return errOrigin
	}
	return nil
}

// allows reports whether pages of the request's origin may open sessions.
func (cfg *Config) allows(origins []string, host string) bool {
	if cfg.CheckOrigin != nil {
		return len(origins) <= 1 && cfg.CheckOrigin(strings.Join(origins, ""), host)
	}
	return pageorigin.Allowed(origins, host, cfg.Origins)
}

// respond sets the fields of the response. Clients of draft 02 look for its name.
func (o *handshake) respond(protocol string, set func(name, value string)) {
	if slices.Equal(o.values("Sec-Webtransport-Http3-Draft02"), []string{"1"}) {
		set("Sec-Webtransport-Http3-Draft", "draft02")
	}
	if protocol != "" {
		set("Wt-Protocol", quoted(protocol))
	}
}

// choose returns the first protocol of the client's list that ours contains, or "".
func (o *handshake) choose(ours []string) string {
	if len(ours) == 0 {
		return ""
	}
	offers, ok := stringList(strings.Join(o.values("Wt-Available-Protocols"), ","))
	if !ok {
		return ""
	}
	for _, name := range offers {
		if slices.Contains(ours, name) {
			return name
		}
	}
	return ""
}
