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
	"github.com/shockwave-go/shockwave/internal/join/httpread"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// UpgradeConn reads a request from nc, from which nothing has been read yet, and upgrades it to WebSocket (RFC 6455
// §4.2). ctx and cfg.HandshakeTimeout bound all of that. Afterwards nc belongs to the Conn, or is closed.
//
// check, if not nil, decides whether the client may connect. It is called for a valid upgrade from an allowed origin,
// before the answer is sent. r has Method, URL, Proto, Header, Host, RequestURI, RemoteAddr and TLS, its context is
// derived from ctx, and it has no body; check may keep it. If check returns a *HandshakeError, the client gets its
// status (400 to 599) and message; any other error refuses the client with status 403.
//
// A client that is refused gets an error response and nc is closed. The error is then a *HandshakeError or that of
// check. It is ctx's error or context.DeadlineExceeded if the client was too slow, io.EOF if it sent nothing, and
// otherwise the error of the connection.
func UpgradeConn(ctx context.Context, nc net.Conn, cfg Config, check func(r *http.Request) error) (*Conn, error) {
	s := cfg.settings()
	return s.open(s.upgradeConn(ctx, nc, nil, check))
}

// upgradeConn reads the request and sends the answer. ahead has bytes that were already read from nc.
func (s *settings) upgradeConn(ctx context.Context, nc net.Conn, ahead []byte, check func(r *http.Request) error) (o *handshakeResult, err error) {
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
	h := connUpgrade{nc: nc, settings: s, in: httpread.NewBuffer(src, 4<<10)}
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
	if m := len(ahead) - len(h.in.Unread()); m > 0 { // the part of ahead that the buffer has not read
		rest = append(rest, ahead[len(ahead)-m:]...)
	}
	return &handshakeResult{role: wsframe.Server, nc: nc, ahead: rest, agreed: a}, nil
}

// connUpgrade is an upgrade on a connection without an HTTP server.
type connUpgrade struct {
	nc       net.Conn
	settings *settings
	in       *httpread.Buffer
	size     int // length of the request's head in the buffer
	req      http1.Request
	refused  bool
}

// receive reads the request, and refuses it or returns the answer's content.
func (h *connUpgrade) receive(ctx context.Context, check func(r *http.Request) error) (handshakeAnswer, error) {
	if err := h.readHead(); err != nil {
		return handshakeAnswer{}, err
	}
	r, err := h.request(ctx)
	if err != nil {
		return handshakeAnswer{}, h.refuse(errTarget)
	}
	f := h.req.Framing
	a, refused := h.settings.answer(&handshakeRequest{
		method: r.Method, major: 1, minor: h.req.Minor, host: r.Host, values: r.Header.Values,
		body: f.Delimiter != http1.NoBody && (f.Delimiter != http1.ByLength || f.Length > 0),
	})
	if refused != nil {
		return handshakeAnswer{}, h.refuse(refused)
	}
	if check == nil {
		return a, nil
	}
	if err := check(r); err != nil {
		h.refuse(refusal(err))
		return handshakeAnswer{}, err
	}
	return a, nil
}

var errTarget = &HandshakeError{http.StatusBadRequest, "the request-target is not a URL"}

// readHead reads until the head is complete. It refuses a malformed one.
func (h *connUpgrade) readHead() (err error) {
	h.size, err = httpread.RequestHead(h.in, &h.req)
	if refused, ok := errors.AsType[*http1.Error](err); ok {
		return h.refuse(&HandshakeError{refused.Status, refused.Msg + " (" + refused.Rule + ")"})
	}
	return err
}

// request returns the request as net/http does, without references to h.in.
func (h *connUpgrade) request(ctx context.Context) (*http.Request, error) {
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
		r.URL = &url.URL{Host: r.RequestURI} // the target is a host and port, not a URL
	} else {
		r.URL, err = url.ParseRequestURI(r.RequestURI)
	}
	return r.WithContext(ctx), err
}
