package both

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
)

// Exchange is a response as a client sees it.
type Exchange struct {
	Status  int // 0 if there was no response
	Proto   string
	Header  http.Header // without Date and the fields of the option Without
	Body    string
	Trailer http.Header
	Length  int64 // of Content-Length; -1 without one
	Chunked bool
	Closes  bool   // the server announced that it closes the connection
	Failure string // why there was no response, or an incomplete one
}

// Read reads a response to its end. Its arguments are the results of Client.Do.
func (s *Site) Read(res *http.Response, err error) Exchange {
	if err != nil {
		return Exchange{Failure: s.reason(err)}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	x := Exchange{
		Status:  res.StatusCode,
		Proto:   res.Proto,
		Header:  res.Header,
		Body:    string(body),
		Trailer: res.Trailer,
		Length:  res.ContentLength,
		Chunked: slices.Contains(res.TransferEncoding, "chunked"),
		Closes:  res.Close,
	}
	if err != nil {
		x.Failure = s.reason(err)
	}
	if bodyless := x.Status == http.StatusNoContent || x.Status == http.StatusNotModified; bodyless && res.ProtoMajor >= 2 {
		x.Length = 0 // it is -1 if the end of the stream came in a separate frame, which depends on timing
	}
	if overHTTP3() && x.Proto == "HTTP/3.0" {
		x.Proto = "HTTP/2.0" // as net/http's
	}
	x.Header.Del("Date")
	for _, name := range s.set.without {
		x.Header.Del(name)
	}
	if s.set.anyFraming {
		x.Header.Del("Content-Length")
		x.Length, x.Chunked = 0, false
	}
	return x
}

// reason returns err's text in a form that is the same for all servers. Errors of a broken connection get the same text,
// because a server may either close or reset the connection.
func (s *Site) reason(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return "connection ended"
	}
	text := strings.ReplaceAll(err.Error(), s.Addr, Host)
	if overHTTP3() && strings.Contains(text, "INTERNAL_ERROR") { // each client says it in its own words
		return "the stream was reset"
	}
	return text
}

// String formats the exchange similarly to HTTP/1.1.
func (x Exchange) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d\n", x.Proto, x.Status)
	writeFields(&b, x.Header)
	b.WriteString("\n" + x.Body + "\n")
	writeFields(&b, x.Trailer)
	b.WriteString(x.Failure)
	return b.String()
}

func writeFields(b *strings.Builder, h http.Header) {
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			b.WriteString(k + ": " + v + "\n")
		}
	}
}
