package handshake

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
)

// Decide says whether a client may connect. If refused is not nil, it is sent to the client, and err is the error of Conn.
type Decide func(r *http.Request) (refused *Error, err error)

// Conn reads a request from nc and sends the response. ahead has bytes that were already read from nc, and rest those that
// were read after the request. ctx bounds all of that. decide may be nil. If it fails, nc is closed. The error is an *Error or
// that of decide if the client was refused.
func (s *Settings) Conn(ctx context.Context, nc net.Conn, ahead []byte, decide Decide) (a Agreement, rest []byte, err error) {
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	var src io.Reader = nc
	if len(ahead) > 0 {
		src = io.MultiReader(bytes.NewReader(ahead), nc)
	}
	h := connUpgrade{nc: nc, settings: s, in: httpread.NewBuffer(src, 4<<10)}
	defer h.in.Release()
	done := false
	defer func() {
		if !done { // also if decide panics
			stop()
			nc.Close()
		}
	}()
	a, err = h.receive(ctx, decide)
	if err == nil {
		_, err = nc.Write(a.AppendResponse(nil, nil))
	}
	if !stop() && !h.refused {
		err = ctx.Err()
	}
	if err != nil {
		return Agreement{}, nil, err
	}
	done = true
	nc.SetDeadline(time.Time{})
	rest = slices.Clone(h.in.Unread()[h.size:])
	if m := len(ahead) - len(h.in.Unread()); m > 0 { // the part of ahead that the buffer has not read
		rest = append(rest, ahead[len(ahead)-m:]...)
	}
	return a, rest, nil
}

// connUpgrade is an upgrade on a connection without an HTTP server.
type connUpgrade struct {
	nc       net.Conn
	settings *Settings
	in       *httpread.Buffer
	size     int // length of the request's head in the buffer
	req      http1.Request
	refused  bool
}

// receive reads the request, and refuses it or returns what was agreed on.
func (h *connUpgrade) receive(ctx context.Context, decide Decide) (Agreement, error) {
	if err := h.readHead(); err != nil {
		return Agreement{}, err
	}
	r, err := h.request(ctx)
	if err != nil {
		return Agreement{}, h.refuse(errTarget)
	}
	f := h.req.Framing
	a, refused := h.settings.Accept(&Request{
		Method: r.Method, Major: 1, Minor: h.req.Minor, Host: r.Host, Values: r.Header.Values,
		Body: f.Delimiter != http1.NoBody && (f.Delimiter != http1.ByLength || f.Length > 0),
	})
	if refused != nil {
		return Agreement{}, h.refuse(refused)
	}
	if decide == nil {
		return a, nil
	}
	if refused, err := decide(r); refused != nil {
		h.refuse(refused)
		return Agreement{}, err
	}
	return a, nil
}

var errTarget = &Error{http.StatusBadRequest, "the request-target is not a URL"}

// readHead reads until the head is complete. It refuses a malformed one.
func (h *connUpgrade) readHead() (err error) {
	h.size, err = httpread.RequestHead(h.in, &h.req)
	if refused, ok := errors.AsType[*http1.Error](err); ok {
		return h.refuse(&Error{refused.Status, refused.Msg + " (" + refused.Rule + ")"})
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
