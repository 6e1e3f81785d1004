package behaviour

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// unsaid is the text of a row that has not been sent yet. Rows speak HTTP/1; over HTTP/2 their requests are said in its words:
// a request follows when the one before has its response, a cut connection is a stream that is given up, Connection
// and what else frames HTTP/1 is left out. What has no words there is the affair of wordless.
type unsaid struct {
	text   []byte // not said yet
	cut    bool   // no more is to come
	stream *exchange
	rest   int64 // of the stream's body: so many bytes, or chunks
}

// Kinds of rest.
const (
	noRest = 0
	chunks = -1
)

// say adds text for speak to send.
func (h *session) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	h.words.text = append(h.words.text, text...)
	h.changed.Broadcast()
}

// finish ends what is said.
func (h *session) finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	h.words.cut = true
	h.changed.Broadcast()
}

// speak sends the added text until the connection ends.
func (h *session) speak() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.err == nil {
		if h.step() {
			continue
		}
		if w := &h.words; w.cut && w.stream != nil {
			h.wire.cancel(w.stream)
			h.changed.Broadcast()
			w.stream = nil
		}
		h.changed.Wait()
	}
}

// step sends the next piece. It returns false if there is none yet.
func (h *session) step() bool {
	w := &h.words
	switch {
	case w.stream == nil:
		return h.heard == len(h.streams) && h.head()
	case w.rest == chunks:
		return h.chunk()
	case len(w.text) == 0:
		return false
	default:
		n := int(min(int64(len(w.text)), w.rest))
		w.rest -= int64(n)
		h.wire.data(w.stream, w.next(n), w.rest == 0)
		if w.rest == 0 {
			w.stream = nil
		}
	}
	return true
}

// wordless ends the connection: what was to be said has no words in HTTP/2.
func (h *session) wordless(text string) bool {
	h.s.wordless(text)
	h.err = net.ErrClosed
	h.wire.close()
	h.changed.Broadcast()
	return false
}

// next takes n bytes.
func (w *unsaid) next(n int) []byte {
	b := w.text[:n]
	w.text = w.text[n:]
	return b
}

// line takes the text before the next line end, if there is one.
func (w *unsaid) line(end string) (string, bool) {
	line, rest, ok := strings.Cut(string(w.text), end)
	if ok {
		w.text = []byte(rest)
	}
	return line, ok
}

// head sends the next request's head.
func (h *session) head() bool {
	w := &h.words
	text, ok := w.line("\r\n\r\n")
	if !ok {
		return false
	}
	lines := strings.Split(text, "\r\n")
	words := strings.Split(lines[0], " ")
	if len(words) != 3 || words[2] != "HTTP/1.1" {
		return h.wordless(lines[0])
	}
	fields, rest := fieldsOf(lines[1:])
	var host []hpack.HeaderField
	if len(fields) > 0 && fields[0].Name == "host" { // the first of them
		host = []hpack.HeaderField{{Name: ":authority", Value: fields[0].Value}}
		fields = fields[1:]
	}
	if len(h.streams) > 0 && !h.wire.lives() {
		h.streams = append(h.streams, &exchange{lost: true}) // as clients do, it asks no more
		h.changed.Broadcast()
		return true
	}
	head := append(append(targetOf(words[0], words[1], host), host...), fields...)
	s := &exchange{}
	h.streams = append(h.streams, s)
	if h.wire.open(s, head, rest == noRest); rest != noRest {
		w.stream, w.rest = s, rest
	}
	return true
}

// targetOf are the pseudo-header fields of a request line. A host in the target replaces the field's.
func targetOf(method, target string, host []hpack.HeaderField) []hpack.HeaderField {
	pseudo := []hpack.HeaderField{{Name: ":method", Value: method}}
	if method == "CONNECT" {
		return pseudo
	}
	scheme := "http"
	if u, err := url.Parse(target); err == nil && u.IsAbs() && len(host) > 0 {
		scheme, host[0].Value, target = u.Scheme, u.Host, u.RequestURI()
	}
	return append(pseudo, hpack.HeaderField{Name: ":scheme", Value: scheme}, hpack.HeaderField{Name: ":path", Value: target})
}

// fieldsOf are the fields of a head, the first Host before all, and what follows as a body.
func fieldsOf(lines []string) (fields []hpack.HeaderField, rest int64) {
	var host []hpack.HeaderField
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		f := hpack.HeaderField{Name: strings.ToLower(name), Value: strings.TrimSpace(value)}
		switch f.Name {
		case "connection", "keep-alive":
			continue
		case "transfer-encoding":
			rest = chunks
			continue
		case "content-length":
			if n, err := strconv.ParseInt(f.Value, 10, 64); err == nil && n >= 0 && rest != chunks {
				rest = n
			}
		case "host":
			if host == nil {
				host = []hpack.HeaderField{f}
				continue
			}
		}
		fields = append(fields, f)
	}
	return append(host, fields...), rest
}

// chunk sends the next chunk, or the trailers.
func (h *session) chunk() bool {
	w := &h.words
	size, rest, ok := strings.Cut(string(w.text), "\r\n")
	if !ok {
		return false
	}
	digits, _, _ := strings.Cut(size, ";")
	n, err := strconv.ParseUint(digits, 16, 31)
	if err != nil {
		return h.wordless(size)
	}
	if n > 0 {
		if len(rest) < int(n)+2 {
			return false
		}
		w.text = []byte(rest[n+2:])
		h.wire.data(w.stream, []byte(rest[:n]), false)
		return true
	}
	if trailers, behind, ok := strings.Cut("\r\n"+rest, "\r\n\r\n"); !ok {
		return false
	} else if w.text = []byte(behind); trailers == "" {
		h.wire.data(w.stream, nil, true)
	} else {
		fields, _ := fieldsOf(strings.Split(trailers[2:], "\r\n"))
		h.wire.section(w.stream, fields, true)
	}
	w.stream = nil
	return true
}
