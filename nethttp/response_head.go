package nethttp

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave"
)

// WriteHeader settles the head with the fields as they are now. 1xx codes other than 101 are sent at once and leave
// the final head open. It panics when code has not three digits.
func (w *response) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.nw == nil && w.hijacked:
		w.cut("WriteHeader", true)
	case w.nw == nil:
	case w.status != 0:
		w.owner.logf("http: superfluous response.WriteHeader call from %s", caller())
	case code < 100 || code > 999:
		panic(fmt.Sprintf("invalid WriteHeader code %v", code))
	case code < 200 && code != http.StatusSwitchingProtocols:
		w.informational(code)
	default:
		w.writeHeader(code)
	}
}

// informational sends a 1xx answer with the fields as they are now, which stay (RFC 8297 §2).
func (w *response) informational(code int) {
	var h shockwave.Header
	if code != http.StatusContinue {
		w.eachField(func(key, value string) {
			if key != "Content-Length" && key != "Transfer-Encoding" {
				h.Add(key, value)
			}
		})
	}
	w.nw.WriteInformational(code, &h)
}

// writeHeader settles the head. w.mu is held, w.status is 0 and code a final one or 101.
func (w *response) writeHeader(code int) {
	w.status = code
	w.checkLength()
	if w.owner.keepAlivesOff() {
		w.nw.CloseAfter()
	}
	w.nw.SetStatus(code)
	out := w.nw.Header()
	w.eachField(func(key, value string) {
		switch key {
		case "Content-Type":
			if code == http.StatusNotModified {
				return // a 304 says nothing new about the body
			}
		case "Content-Length":
			if w.declared < 0 || !bodyAllowed(code) {
				return
			}
		case "Trailer":
			w.announce(value)
		}
		out.Add(key, value)
	})
	if date, ok := w.header["Date"]; ok && len(date) == 0 {
		w.nw.Header().Set("Date", "")
	}
	w.startSniffing()
}

// checkLength takes the handler's Content-Length over, and out if it is no length.
func (w *response) checkLength() {
	if len(w.header["Content-Length"]) == 0 {
		return
	}
	text := w.header["Content-Length"][0]
	if text == "" {
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		w.owner.logf("http: invalid Content-Length of %q", text)
		delete(w.header, "Content-Length")
		return
	}
	if coding := w.headerText("Transfer-Encoding"); coding != "" {
		w.owner.logf("http: WriteHeader called with both Transfer-Encoding of %q and a Content-Length of %d", coding, n)
		return
	}
	w.declared = n
}

// eachField calls f for every field that may be sent, ordered by key: one answer looks like the next. Keys that are
// no token are left out; line breaks and other control bytes in values become spaces, so that no value can begin a
// line of its own (RFC 9110 §5.5).
func (w *response) eachField(f func(key, value string)) {
	var room [16]string
	keys := room[:0]
	for key := range w.header {
		switch {
		case strings.HasPrefix(key, http.TrailerPrefix):
			// for sendTrailers
		case isToken(key):
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		for _, value := range w.header[key] {
			f(key, cleanValue(value))
		}
	}
}

// isToken tells whether s is a token (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		if !tokenBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

// cleanValue returns v without what a field value must not hold.
func cleanValue(v string) string {
	for i := range len(v) {
		if isControl(v[i]) {
			return trimmed(string(blankControls([]byte(v))))
		}
	}
	return trimmed(v)
}

// blankControls makes the control bytes of b spaces. Other bytes stay, whether they are UTF-8 or not.
func blankControls(b []byte) []byte {
	for i, c := range b {
		if isControl(c) {
			b[i] = ' '
		}
	}
	return b
}

func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }
