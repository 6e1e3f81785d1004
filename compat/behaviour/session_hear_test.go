package behaviour

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// response returns the next response, in the form of peer.response. A stream that was reset says with which code.
func (h *session) response(d detail) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	for h.heard == len(h.streams) && h.err == nil {
		h.changed.Wait()
	}
	if h.heard == len(h.streams) {
		return "ended"
	}
	s := h.streams[h.heard]
	s.hearing = true
	h.wire.giveBack(s)
	h.changed.Broadcast()
	for len(s.heads) == 0 && s.reset == "" && !s.lost && h.err == nil {
		h.changed.Wait()
	}
	if len(s.heads) == 0 {
		h.next()
		return "ended" + s.ending()
	}
	status, head := headOf(s.heads[0])
	s.heads = s.heads[1:]
	if status/100 == 1 {
		return fmt.Sprintf("%d %s%s", status, http.StatusText(status), fieldLines(head))
	}
	for !s.ended && s.reset == "" && !s.lost && h.err == nil {
		h.changed.Wait()
	}
	h.next()
	return s.text(status, head, d)
}

// next is for the next request. The lock is held.
func (h *session) next() {
	h.heard++
	h.changed.Broadcast()
}

func (s *exchange) text(status int, head http.Header, d detail) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", status, http.StatusText(status))
	if d == brief {
		return b.String()
	}
	b.WriteString(fieldLines(head))
	if len(s.body) > 0 {
		b.WriteString("\n| " + abridged(s.body))
	}
	if len(s.heads) > 0 {
		_, trailers := headOf(s.heads[0])
		b.WriteString("\ntrailers:" + fieldLines(trailers))
	}
	if !s.ended {
		b.WriteString("\n(cut off" + s.ending() + ")")
	}
	return b.String()
}

// ending returns how a stream was cut off. A stream that is reset after its whole response was not cut off (RFC 9113 §8.1).
func (s *exchange) ending() string {
	if s.reset == "" {
		return ""
	}
	return ": " + s.reset
}

// headOf takes a header section apart.
func headOf(fields []hpack.HeaderField) (status int, head http.Header) {
	head = http.Header{}
	for _, f := range fields {
		if f.Name == ":status" {
			status, _ = strconv.Atoi(f.Value)
			continue
		}
		head.Add(f.Name, f.Value)
	}
	return status, head
}

// lines are those of the next head as HTTP/1 would write them.
func (h *session) lines() (lines []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for (h.heard == len(h.streams) || len(h.streams[h.heard].heads) == 0) && h.err == nil {
		h.changed.Wait()
	}
	if h.err != nil {
		return nil
	}
	for _, f := range h.streams[h.heard].heads[0] {
		if !f.IsPseudo() {
			lines = append(lines, http.CanonicalHeaderKey(f.Name)+": "+f.Value)
		}
	}
	h.next()
	return lines
}

// lives reports whether the connection still responses, and has not said that it will end.
func (h *session) lives() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	return h.wire.lives()
}
