package behaviour

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// peer is the client's end of one connection.
type peer struct {
	s *scene
	net.Conn
	in      *bufio.Reader // of HTTP/1
	session *session      // instead, of HTTP/2 and HTTP/3
}

// dial connects to the scene's server.
func (s *scene) dial() *peer {
	s.t.Helper()
	if s.version == 3 {
		return s.dialTLS()
	}
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.peerOn(c)
}

// dialTLS is dial over TLS.
func (s *scene) dialTLS() *peer {
	s.t.Helper()
	if s.version == 3 {
		qc := s.dialQUIC()
		return &peer{s: s, Conn: quicEnd{qc: qc}, session: newH3Session(s, qc), in: bufio.NewReader(noBytes{s})}
	}
	config := clientTLS()
	if s.version == 2 {
		config.NextProtos = []string{"h2"}
	}
	c, err := tls.Dial("tcp", s.addr, config)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.peerOn(c)
}

func (s *scene) peerOn(c net.Conn) *peer {
	s.later(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	p := &peer{s: s, Conn: c, in: bufio.NewReader(c)}
	if s.version == 2 {
		p.session, p.in = newH2Session(s, c), bufio.NewReader(noBytes{s})
	}
	return p
}

// noBytes is what a peer has that does not speak HTTP/1 instead of the connection's bytes.
type noBytes struct{ s *scene }

// Read implements io.Reader.
func (n noBytes) Read([]byte) (int, error) {
	n.s.wordless("the bytes of a response")
	return 0, io.EOF
}

// say sends text. It does not matter whether the server has closed already: what the server sent before counts.
func (p *peer) say(text string) {
	if p.session != nil {
		p.session.say(text)
		return
	}
	io.WriteString(p, text)
}

// finish ends the client's direction; it still listens.
func (p *peer) finish() {
	if p.session != nil {
		p.session.finish()
		return
	}
	p.Conn.(interface{ CloseWrite() error }).CloseWrite()
}

// hear records the next response, which is to a request with the given method.
func (p *peer) hear(method string) { p.s.notef("%s", p.response(method, p.s.detail)) }

// hearStatus records of the next response no more than its status and whether the connection closes.
func (p *peer) hearStatus(method string) { p.s.notef("%s", p.response(method, brief)) }

// hearRest records the bytes that come until the connection ends.
func (p *peer) hearRest() {
	if p.session != nil {
		p.s.wordless("the bytes until a connection ends")
	}
	b, err := io.ReadAll(p.in)
	p.s.notef("rest: %s%s", abridged(b), ending(err))
}

// hearEnd records whether the connection ended without another byte.
func (p *peer) hearEnd() {
	if p.session != nil {
		p.s.notef("%s", map[bool]string{true: "not ended", false: "ended"}[p.session.lives()])
		return
	}
	switch b, err := p.in.ReadByte(); {
	case err == nil:
		p.s.notef("not ended: %q", b)
	case ended(err):
		p.s.notef("ended")
	default:
		p.s.notef("%s", ending(err))
	}
}

func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

func ending(err error) string {
	switch {
	case err == nil:
		return ""
	case ended(err):
		return "\n(cut off)"
	}
	return "\n(" + err.Error() + ")"
}

// detail says how much of a response is recorded.
type detail int

const (
	full  detail = iota
	brief        // status and whether the connection closes
)

// response reads one response and returns it in a form that can be compared: no version (the row "the version of responses"
// looks at it), fields in the order of their names, no date, long bodies as length and sum.
func (p *peer) response(method string, d detail) string {
	if p.session != nil {
		return p.session.response(d)
	}
	res, err := http.ReadResponse(p.in, &http.Request{Method: method})
	if err != nil && ended(err) {
		return "ended"
	}
	if err != nil {
		return "broken response: " + strings.ReplaceAll(err.Error(), p.LocalAddr().String(), "client")
	}
	body, err := io.ReadAll(res.Body)
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", res.StatusCode, http.StatusText(res.StatusCode))
	if res.Close {
		b.WriteString(" (closes)")
	}
	if d == brief {
		return b.String()
	}
	if res.TransferEncoding != nil {
		fmt.Fprintf(&b, " (%s)", strings.Join(res.TransferEncoding, ", "))
	}
	b.WriteString(fieldLines(res.Header))
	if len(body) > 0 {
		b.WriteString("\n| " + abridged(body))
	}
	if len(res.Trailer) > 0 {
		b.WriteString("\ntrailers:" + fieldLines(res.Trailer))
	}
	return b.String() + ending(err)
}

func fieldLines(h http.Header) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			if k != "Date" && k != "Connection" {
				b.WriteString("\n" + k + ": " + v)
			}
		}
	}
	return b.String()
}

func abridged(b []byte) string {
	if len(b) > 300 {
		return fmt.Sprintf("%d bytes, sum %08x", len(b), crc32.ChecksumIEEE(b))
	}
	return fmt.Sprintf("%q", b)
}

// requestLine finds the methods of the requests in the text of a row.
var requestLine = regexp.MustCompile(`(?m)^([A-Z]+) \S+ HTTP/\d`)

// methods returns the methods of the requests in text, each once for each response.
func methods(text string) (m []string) {
	for _, match := range requestLine.FindAllStringSubmatch(text, -1) {
		m = append(m, match[1])
	}
	if len(m) == 0 {
		m = []string{"GET"}
	}
	return m
}

// converse sends text on a new connection, and after it a request for /after that asks to close. It records every response
// until the connection ends: "after" shows that the connection stayed.
func (s *scene) converse(text string) {
	p := s.dial()
	// At once, so that a server which ends the connection has read it all: a close with bytes unread is a reset.
	p.say(text + "GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	queue := append(methods(text), "GET")
	for {
		got := p.response(queue[0], full)
		s.notef("%s", got)
		if got == "ended" || strings.HasPrefix(got, "broken") || strings.Contains(got, "(closes)") {
			return
		}
		if strings.HasPrefix(got, "1") {
			continue
		}
		if len(queue) > 1 {
			queue = queue[1:]
		} else if s.version > 1 {
			return // the response to /after does not end the connection
		}
	}
}

// after gives requests for /after a response of their own and all others to h.
func after(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/after" {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, "after")
			return
		}
		h(w, r)
	}
}
