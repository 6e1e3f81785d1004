package nethttp

import (
	"context"
	"net/http"
	"strconv"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// reply is a response with its body: one allocation.
type reply struct {
	http.Response
	body responseBody
}

// answer makes a response of the head that has arrived.
func (k *call) answer(ctx context.Context) (*http.Response, error) {
	r := new(reply)
	resp := &r.Response
	resp.StatusCode, resp.Status = k.Status, statusText(k.Status)
	resp.Proto, resp.ProtoMajor = "HTTP/2.0", 2
	resp.Request, resp.TLS = k.req, k.Conn().TLS
	resp.Header = k.header(resp)
	resp.ContentLength = k.Length
	if k.upload != nil && k.Status > 299 {
		// The server has seen enough of the body.
		k.StopSending(errStopped)
		k.upload.stop()
	}
	r.body.resp, r.body.conn, r.body.call = resp, k.Conn(), k
	whole, ok := k.Whole()
	if !ok && k.req.Method != "HEAD" {
		r.body.upload = k.upload
		r.body.watch(ctx)
		resp.Body = &r.body
		k.unzip(resp)
		return resp, nil
	}
	r.body.endTrailer(k)
	upload := k.upload
	if !ok && upload != nil { // a response to HEAD that goes on
		upload.stop()
	}
	if k.Bare && resp.ContentLength < 0 && k.req.Method != "HEAD" {
		resp.ContentLength = 0
	}
	gzip := k.gzip
	r.body.call = nil
	k.leave()
	if len(whole) == 0 {
		bufpool.Put(whole)
		resp.Body = http.NoBody
		if len(r.body.trailer) > 0 {
			r.body.mergeTrailer()
		}
		return resp, nil
	}
	r.body.whole = whole
	resp.Body = &r.body
	if gzip {
		unzip(resp)
	}
	return resp, nil
}

// unzip has the body decompressed if it was we who asked for that.
func (k *call) unzip(resp *http.Response) {
	if k.gzip {
		unzip(resp)
	}
}

// header makes a map of the fields. Its keys are as net/http writes them, its values parts of one slice.
func (k *call) header(resp *http.Response) http.Header {
	fields := k.Fields
	h := make(http.Header, len(fields))
	values := make([]string, 0, len(fields))
	for i := range fields {
		key, value := canonicalKey(fields[i].Name), fields[i].Value
		if key == "Trailer" {
			announce(resp, value)
			continue
		}
		if before, ok := h[key]; ok {
			h[key] = append(before, value)
			continue
		}
		values = append(values, value)
		h[key] = values[len(values)-1 : len(values) : len(values)]
	}
	return h
}

// announce notes the names of trailers.
func announce(resp *http.Response, names string) {
	for part := range splitComma(names) {
		key := canonicalKey(part)
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

// endTrailer keeps the trailer section, which has arrived with the end of the body.
func (b *responseBody) endTrailer(k *call) {
	if len(k.Trailer) > 0 {
		b.trailer = append([]http2.Field(nil), k.Trailer...)
	}
}

// mergeTrailer makes the trailers known.
func (b *responseBody) mergeTrailer() {
	if len(b.trailer) == 0 {
		return
	}
	if b.resp.Trailer == nil {
		b.resp.Trailer = make(http.Header, len(b.trailer))
	}
	for _, f := range b.trailer {
		key := canonicalKey(f.Name)
		b.resp.Trailer[key] = append(b.resp.Trailer[key], f.Value)
	}
	b.trailer = nil
}

// statusTexts are Response.Status for the statuses that have a text.
var statusTexts = func() (t [600]string) {
	for code := range t {
		if text := http.StatusText(code); text != "" {
			t[code] = strconv.Itoa(code) + " " + text
		}
	}
	return t
}()

func statusText(code int) string {
	if code < len(statusTexts) && statusTexts[code] != "" {
		return statusTexts[code]
	}
	return strconv.Itoa(code) + " " + http.StatusText(code)
}
