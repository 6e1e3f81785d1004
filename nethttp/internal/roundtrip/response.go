package roundtrip

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// fillResponse fills the response from the head that has arrived.
func (k *call) fillResponse() error {
	r := k.reply
	in, resp := &r.body.in, &r.Response
	r.body.reply = r
	resp.StatusCode, resp.ContentLength, resp.TLS = in.Status, in.Length, in.TLS
	resp.ProtoMajor, resp.ProtoMinor = in.Major, in.Minor
	text, values := headermap.KeepHead(in.Header().Bytes(), in.Header().Len())
	switch in.Major {
	case 1:
		resp.Proto, resp.Status = http1Proto(in.Minor), statusLineText(text, in.Status)
	case 2:
		resp.Proto, resp.Status = "HTTP/2.0", statusText(in.Status)
	default:
		resp.Proto, resp.Status = "HTTP/3.0", statusText(in.Status)
	}
	resp.Header, _ = headermap.MakeHeader(in.Header(), text, values, "")
	if in.Major == 1 {
		k.fixHTTP1Fields()
	} else if in.Bodyless() && resp.ContentLength < 0 && k.Method != "HEAD" {
		resp.ContentLength = 0
	}
	if in.Major > 1 || len(resp.TransferEncoding) > 0 {
		takeTrailerNames(resp)
	}
	return k.setResponseBody()
}

// setResponseBody sets the body of the response: none, a tunnel, or one that is read from the connection.
func (k *call) setResponseBody() error {
	r := k.reply
	in, resp := &r.body.in, &r.Response
	in.DropHead()
	switch {
	case in.Status == http.StatusSwitchingProtocols || k.Tunnel && in.Status < 300:
		return k.setTunnel()
	case k.Tunnel && k.length != 0:
		closeBody(k.req)
	}
	rest, whole := in.Buffered()
	if whole || k.Method == "HEAD" {
		r.finish()
	}
	if k.Method == "HEAD" || whole && len(rest) == 0 {
		in.Close()
		r.mergeTrailer()
		resp.Body = http.NoBody
		return nil
	}
	resp.Body = &r.body
	if k.gzip {
		unzip(resp)
	}
	return nil
}

// setTunnel makes the body of the response the tunnel or the upgraded connection.
func (k *call) setTunnel() error {
	r := k.reply
	rw, err := r.body.in.Tunnel()
	r.finish()
	if err != nil {
		r.Body = http.NoBody // the stream has ended already
		closeBody(k.req)
		return nil
	}
	if !k.Tunnel {
		r.Body, r.ContentLength = rw, 0 // as in http.Transport: -1 makes Response.Write add "Connection: close"
		if !switches(r.Header) {
			r.Body = http.NoBody
			rw.Close()
		}
		return nil
	}
	r.Body, r.ContentLength = rw, -1
	if k.length != 0 {
		go copyToTunnel(rw, k.req.Body)
	}
	return nil
}

// switches reports whether a response with status 101 says which protocol the connection goes on with (RFC 9110 §7.8).
func switches(h http.Header) bool {
	return h.Get("Upgrade") != "" && hasToken(h["Connection"], "upgrade")
}

// copyToTunnel copies the body of a CONNECT request into its tunnel.
func copyToTunnel(rw io.ReadWriteCloser, body io.ReadCloser) {
	_, err := io.Copy(struct{ io.Writer }{rw}, body)
	body.Close()
	if c, ok := rw.(interface{ CloseWrite() error }); ok && err == nil {
		_ = c.CloseWrite()
	}
}

// fixHTTP1Fields sets what net/http derives from the fields of an HTTP/1 response, and removes the fields that
// net/http removes.
func (k *call) fixHTTP1Fields() {
	resp := &k.reply.Response
	h := resp.Header
	headermap.PragmaToCacheControl(h)
	if k.Method == "HEAD" {
		resp.ContentLength = headContentLength(h)
	}
	if te := h["Transfer-Encoding"]; te != nil {
		delete(h, "Transfer-Encoding")
		if resp.ProtoMinor > 0 {
			resp.TransferEncoding = transferCodings(te)
		}
	}
	closes := hasToken(h["Connection"], "close")
	switch {
	case resp.ProtoMinor == 0:
		resp.Close = closes || !hasToken(h["Connection"], "keep-alive")
	case closes:
		resp.Close = true
		delete(h, "Connection")
	}
	if resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && k.Method != "HEAD" {
		resp.Close = true // the body ends with the connection
	}
}

// transferCodings returns the transfer codings that lines list, from the outermost, which is listed last, to the innermost. A
// response with a body has only "chunked". One without a body may list codings that we do not know, because its fields do not
// frame it (RFC 9112 §6.3).
func transferCodings(lines []string) (codings []string) {
	for _, line := range lines {
		for coding := range strings.SplitSeq(line, ",") {
			codings = append(codings, strings.ToLower(ascii.TrimOWS(coding)))
		}
	}
	slices.Reverse(codings)
	return codings
}

// headContentLength returns the Content-Length of a response to HEAD, or -1.
func headContentLength(h http.Header) int64 {
	if v := h["Content-Length"]; len(v) > 0 {
		if n, err := strconv.ParseInt(v[0], 10, 64); err == nil {
			return n
		}
	}
	return -1
}

// takeTrailerNames moves the names in Trailer fields to the keys of resp.Trailer.
func takeTrailerNames(resp *http.Response) {
	lines, ok := resp.Header["Trailer"]
	if !ok {
		return
	}
	delete(resp.Header, "Trailer")
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			key := headermap.CanonicalKey(ascii.TrimOWS(part))
			switch key {
			case "", "Transfer-Encoding", "Trailer", "Content-Length":
				continue
			}
			if resp.Trailer == nil {
				resp.Trailer = make(http.Header)
			}
			resp.Trailer[key] = nil
		}
	}
}

// mergeTrailer adds the trailers that arrived with the end of the body to r.Trailer.
func (r *reply) mergeTrailer() {
	if !r.body.in.HasTrailer() {
		return
	}
	fields := r.body.in.Trailer()
	if r.Trailer == nil {
		r.Trailer = make(http.Header, fields.Len())
	}
	for i := range fields.Len() {
		name, value := fields.At(i)
		key := headermap.CanonicalKey(string(name))
		r.Trailer[key] = append(r.Trailer[key], string(value))
	}
}
