package websocket

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/httpread"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// UpgradeConn reads a request from nc, of which nothing has been read, and answers its upgrade to WebSocket
// (RFC 6455 §4.2), all until ctx ends and within cfg.HandshakeTimeout. nc is the Conn's afterwards, or closed.
//
// check, if there is one, decides whether a client may connect whose request is a good upgrade from an allowed origin.
// It is called before the answer; r has Method, URL, Proto, Header, Host, RequestURI, RemoteAddr, TLS and ctx for its
// context, it has no body, and its values are check's for ever. A check that returns an error refuses with the status
// (400 to 599) and the message of a *HandshakeError, or else with 403.
//
// A client that is refused is answered with the status that says so, and the connection is closed. The error is a
// *HandshakeError then, or check's. It is ctx's or context.DeadlineExceeded when the client was too slow, io.EOF when
// it sent nothing, and else what the connection said.
func UpgradeConn(ctx context.Context, nc net.Conn, cfg Config, check func(r *http.Request) error) (*Conn, error) {
	s := cfg.settings()
	return s.open(s.upgradeConn(ctx, nc, nil, check))
}

// upgradeConn is UpgradeConn without what comes behind the answer.
func (s *settings) upgradeConn(ctx context.Context, nc net.Conn, ahead []byte, check func(r *http.Request) error) (o *opened, err error) {
	if s.HandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.HandshakeTimeout)
		defer cancel()
	}
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	var src io.Reader = nc
	if len(ahead) > 0 {
		src = io.MultiReader(bytes.NewReader(ahead), nc)
	}
	h := greeting{nc: nc, set: s, in: httpread.NewBuffer(src, 4<<10)}
	defer h.in.Release()
	defer func() {
		if o == nil { // also if check panics
			stop()
			nc.Close()
		}
	}()
	a, err := h.receive(ctx, check)
	if err == nil {
		_, err = nc.Write(a.appendAnswer(nil, nil))
	}
	if !stop() && !h.refused {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	nc.SetDeadline(time.Time{})
	rest := slices.Clone(h.in.Unread()[h.size:])
	if m := len(ahead) - len(h.in.Unread()); m > 0 { // what the buffer has not read of it
		rest = append(rest, ahead[len(ahead)-m:]...)
	}
	return &opened{role: wsframe.Server, nc: nc, ahead: rest, agreed: a}, nil
}

// greeting is an upgrade on a connection that nobody has read from.
type greeting struct {
	nc      net.Conn
	set     *settings
	in      *httpread.Buffer
	size    int // of the head in it
	req     http1.Request
	refused bool
}

// receive reads the request and refuses it or returns what the answer says.
func (h *greeting) receive(ctx context.Context, check func(r *http.Request) error) (accepted, error) {
	if err := h.readHead(); err != nil {
		return accepted{}, err
	}
	r, err := h.request(ctx)
	if err != nil {
		return accepted{}, h.refuse(errTarget)
	}
	f := h.req.Framing
	a, refused := h.set.answer(&opening{
		method: r.Method, major: 1, minor: h.req.Minor, host: r.Host, values: r.Header.Values,
		body: f.Delimiter != http1.NoBody && (f.Delimiter != http1.ByLength || f.Length > 0),
	})
	if refused != nil {
		return accepted{}, h.refuse(refused)
	}
	if check == nil {
		return a, nil
	}
	if err := check(r); err != nil {
		h.refuse(refusal(err))
		return accepted{}, err
	}
	return a, nil
}

var errTarget = &HandshakeError{http.StatusBadRequest, "the request-target is no URL"}

// readHead reads until the head is whole, and refuses what is none.
func (h *greeting) readHead() (err error) {
	h.size, err = httpread.RequestHead(h.in, &h.req)
	if refused, ok := errors.AsType[*http1.Error](err); ok {
		return h.refuse(&HandshakeError{refused.Status, refused.Msg + " (" + refused.Rule + ")"})
	}
	return err
}

// request makes a request as net/http does; nothing of it lies in h.in.
func (h *greeting) request(ctx context.Context) (*http.Request, error) {
	q := &h.req
	r := &http.Request{
		Method: string(q.Method), RequestURI: string(q.Target), Host: string(q.Host), RemoteAddr: h.nc.RemoteAddr().String(),
		Proto: "HTTP/1." + strconv.Itoa(q.Minor), ProtoMajor: 1, ProtoMinor: q.Minor,
		Header: make(http.Header, q.Header.Len()), Body: http.NoBody,
	}
	for i := range q.Header.Len() {
		name, value := q.Header.At(i)
		r.Header.Add(string(name), string(value))
	}
	r.Header.Del("Host")
	if t, ok := h.nc.(*tls.Conn); ok {
		state := t.ConnectionState()
		r.TLS = &state
	}
	var err error
	if r.Method == http.MethodConnect {
		r.URL = &url.URL{Host: r.RequestURI} // a host and port, which is no URL
	} else {
		r.URL, err = url.ParseRequestURI(r.RequestURI)
	}
	return r.WithContext(ctx), err
}
