package websocket

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// status returns the status code and the reason phrase.
func status(r *http1.Response) string {
	s := strconv.Itoa(r.Status)
	if len(r.Reason) > 0 {
		s += " " + string(r.Reason)
	}
	return s
}

// response returns r as an http.Response without a body.
func response(r *http1.Response, req *http.Request, nc net.Conn) *http.Response {
	resp := &http.Response{
		Status: status(r), StatusCode: r.Status, Proto: "HTTP/1." + strconv.Itoa(r.Minor), ProtoMajor: 1,
		ProtoMinor: r.Minor, Header: make(http.Header, r.Header.Len()), Body: http.NoBody, Request: req,
	}
	for name, value := range r.Header.All() {
		resp.Header.Add(string(name), string(value))
	}
	switch r.Framing.Delimiter {
	case http1.ByLength:
		resp.ContentLength = r.Framing.Length
	case http1.ByChunks, http1.ByClose:
		resp.ContentLength = -1
	}
	if tc, ok := nc.(*tls.Conn); ok {
		state := tc.ConnectionState()
		resp.TLS = &state
	}
	return resp
}

// The limits for the body of a refusal: how much of it is kept, and how long the server may take to send it.
const (
	maxRefusalBody     = 1 << 10
	refusalBodyTimeout = time.Second
)

// refusalBody returns the beginning of the body of r, as much as arrives in time and is well-formed.
func refusalBody(nc net.Conn, r *http1.Response, in *httpread.Buffer) io.ReadCloser {
	var body httpread.Body
	body.Reset(-1)
	body.Start(r.Framing, http1.Limits{})
	nc.SetReadDeadline(time.Now().Add(refusalBodyTimeout))
	text := make([]byte, maxRefusalBody)
	kept := 0
	for kept < maxRefusalBody {
		n, err := body.Read(in, text[kept:])
		if kept += n; err != nil {
			break
		}
	}
	return io.NopCloser(bytes.NewReader(text[:kept]))
}
