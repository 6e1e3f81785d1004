package load

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
)

// inlineBytes limits how much a connection writes on its reading goroutine. That many bytes of unanswered requests fit
// the kernel's buffers, so the write does not block while the server waits for its responses to be read.
const inlineBytes = 32 << 10

// request holds the request that is sent repeatedly, or several that take turns.
type request struct {
	method string
	turns  turns
	heads  [][]byte // by turn: HTTP heads; empty for messages
	bodies [][]byte // by turn: HTTP bodies, or encoded messages
	closes bool     // the requests ask the server to close the connection after the response

	batch  []byte // consecutive requests, Pipeline of them from any turn on; nil if a writer sends them
	starts []int  // offsets in batch of each request, and of the end

	fields  [][]http2.Field // by turn, over HTTP/2: instead of heads
	streams [][]byte        // by turn, over HTTP/3: heads and bodies in frames

	message *message // expected echoes; nil for HTTP
}

// targets returns the number of URLs, or 0 for messages.
func (r *request) targets() int {
	if r.message != nil {
		return 0
	}
	return r.turns.all
}

// makeBatch builds batch, for writing on the reading goroutine.
func (r *request) makeBatch(pipeline int) {
	r.starts = []int{0}
	for i := range r.turns.all - 1 + pipeline {
		turn := r.turns.after(0, i)
		r.batch = append(append(r.batch, r.heads[turn]...), r.bodies[turn]...)
		r.starts = append(r.starts, len(r.batch))
	}
}

var errField = errors.New("load: a field cannot be sent: its name is no token, or its value holds a control byte")

// newRequest builds HTTP/1.1 requests, one for each URL.
func newRequest(cfg *Config) (*request, error) {
	urls := cfg.urls()
	r := &request{method: cfg.Method, turns: turns{all: len(urls)}}
	longest := 0
	for _, u := range urls {
		head, err := newHead(cfg, u)
		if err != nil {
			return nil, err
		}
		r.heads, r.bodies = append(r.heads, head), append(r.bodies, cfg.Body)
		longest = max(longest, len(head)+len(cfg.Body))
	}
	if err := r.checkFields(cfg); err != nil {
		return nil, err
	}
	if longest*cfg.Pipeline <= inlineBytes {
		r.makeBatch(cfg.Pipeline)
	}
	return r, nil
}

// newHead builds the head of a request for u.
func newHead(cfg *Config, u *url.URL) ([]byte, error) {
	head, ok := http1.AppendRequestLine(nil, cfg.Method, u.RequestURI())
	if !ok {
		return nil, fmt.Errorf("load: no request can be made of method %q and target %q", cfg.Method, u.RequestURI())
	}
	if head, ok = appendDefaults(head, cfg); !ok {
		return nil, fmt.Errorf("load: %q cannot stand in a Host field", cfg.URL.Host)
	}
	if head, ok = http1.AppendHeader(head, &cfg.Header); !ok {
		return nil, errField
	}
	return append(head, '\r', '\n'), nil
}

// appendDefaults appends Host, User-Agent and Content-Length, unless cfg.Header has them.
func appendDefaults(head []byte, cfg *Config) (_ []byte, ok bool) {
	ok = true
	if !cfg.Header.Has("Host") {
		head, ok = http1.AppendField(head, "Host", cfg.URL.Host)
	}
	if !cfg.Header.Has("User-Agent") {
		head = append(head, "User-Agent: shockwave\r\n"...)
	}
	if cfg.hasLength() && !cfg.Header.Has("Content-Length") {
		head = append(head, "Content-Length: "...)
		head = strconv.AppendInt(head, int64(len(cfg.Body)), 10)
		head = append(head, '\r', '\n')
	}
	return head, ok
}

// hasLength reports whether requests have a Content-Length. It is sent even for an empty body if the method makes a
// server expect one (RFC 9110 §8.6).
func (cfg *Config) hasLength() bool {
	return len(cfg.Body) > 0 || cfg.Method == "POST" || cfg.Method == "PUT" || cfg.Method == "PATCH"
}

// checkFields refuses fields that would make the server see other requests than are counted. It also sets r.closes.
func (r *request) checkFields(cfg *Config) error {
	if cfg.Header.Has("Transfer-Encoding") {
		return errors.New("load: bodies are sent with a Content-Length, not with a Transfer-Encoding")
	}
	if v := cfg.Header.Get("Content-Length"); v != nil && string(v) != strconv.Itoa(len(cfg.Body)) {
		return fmt.Errorf("load: Content-Length is %s, the body has %d bytes", v, len(cfg.Body))
	}
	for v, i := cfg.Header.Next("Connection", 0); i > 0; v, i = cfg.Header.Next("Connection", i) {
		r.closes = r.closes || http1.HasToken("close", v)
	}
	return nil
}
