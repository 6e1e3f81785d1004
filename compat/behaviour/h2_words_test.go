package behaviour

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Words is what a row says, on its way to frames. Rows speak HTTP/1; over HTTP/2 their requests are said in its words:
// a request follows when the one before has been answered, a cut connection is a stream that is given up, Connection
// and what else frames HTTP/1 is left out. What has no words there is the affair of h2Silent.
type h2Words struct {
	text   []byte // not said yet
	cut    bool   // no more is to come
	stream *h2Stream
	rest   int64 // of the stream's body: so many bytes, or chunks
}

// Kinds of rest.
const (
	noRest = 0
	chunks = -1
)

// say has text said by speak.
func (h *h2Session) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	h.words.text = append(h.words.text, text...)
	h.changed.Broadcast()
}

// finish ends what is said.
func (h *h2Session) finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	h.words.cut = true
	h.changed.Broadcast()
}

// speak says what is to be said until the connection ends.
func (h *h2Session) speak() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.err == nil {
		if h.step() {
			continue
		}
		if w := &h.words; w.cut && w.stream != nil {
			h.frames.WriteRSTStream(w.stream.id, http2.ErrCodeCancel)
			h.changed.Broadcast()
			w.stream = nil
		}
		h.changed.Wait()
	}
}

// step says the next piece. It returns false if there is none as yet.
func (h *h2Session) step() bool {
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
		h.data(w.stream, w.next(n), w.rest == 0)
		if w.rest == 0 {
			w.stream = nil
		}
	}
	return true
}

// wordless ends the connection: what was to be said has no words in HTTP/2.
func (h *h2Session) wordless(text string) bool {
	h.s.wordless(text)
	h.err = net.ErrClosed
	h.conn.Close()
	h.changed.Broadcast()
	return false
}

// next takes n bytes.
func (w *h2Words) next(n int) []byte {
	b := w.text[:n]
	w.text = w.text[n:]
	return b
}

// line takes what stands before the next end, if that is there.
func (w *h2Words) line(end string) (string, bool) {
	line, rest, ok := strings.Cut(string(w.text), end)
	if ok {
		w.text = []byte(rest)
	}
	return line, ok
}

// head says the next request's head.
func (h *h2Session) head() bool {
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
	fields, rest := h2Fields(lines[1:])
	var host []hpack.HeaderField
	if len(fields) > 0 && fields[0].Name == "host" { // the first of them
		host = []hpack.HeaderField{{Name: ":authority", Value: fields[0].Value}}
		fields = fields[1:]
	}
	if len(h.streams) > 0 && !h.ping() {
		h.streams = append(h.streams, &h2Stream{lost: true}) // as clients do, it asks no more
		h.changed.Broadcast()
		return true
	}
	head := append(append(h2Target(words[0], words[1], host), host...), fields...)
	if s := h.headers(head, rest == noRest); rest != noRest {
		w.stream, w.rest = s, rest
	}
	return true
}

// h2Target are the pseudo-header fields of a request line. A host in the target replaces the field's.
func h2Target(method, target string, host []hpack.HeaderField) []hpack.HeaderField {
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

// h2Fields are the fields of a head, the first Host before all, and what follows as a body.
func h2Fields(lines []string) (fields []hpack.HeaderField, rest int64) {
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

// chunk says the next chunk, or the trailers.
func (h *h2Session) chunk() bool {
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
		h.data(w.stream, []byte(rest[:n]), false)
		return true
	}
	if trailers, behind, ok := strings.Cut("\r\n"+rest, "\r\n\r\n"); !ok {
		return false
	} else if w.text = []byte(behind); trailers == "" {
		h.data(w.stream, nil, true)
	} else {
		fields, _ := h2Fields(strings.Split(trailers[2:], "\r\n"))
		h.section(w.stream, fields, true)
	}
	w.stream = nil
	return true
}
