package behaviour

import (
	"sync"

	"golang.org/x/net/http2/hpack"
)

// session is the client's end of a connection of HTTP/2 or HTTP/3. A goroutine makes requests of what the row says
// (session_words_test.go), until the connection ends.
type session struct {
	s    *scene
	wire wire

	mu      sync.Mutex
	changed sync.Cond
	begun   bool // the goroutines run

	streams []*exchange // the requests, in their order
	heard   int         // so many of them have a response, which was noted
	bye     bool        // the server has said GOAWAY
	err     error       // how the connection has ended

	words unsaid
}

// wire is how a session puts requests on its connection, and records what comes back in its exchanges. All methods are called with
// the session's lock held; what waits lets it go meanwhile.
type wire interface {
	greet()
	open(s *exchange, fields []hpack.HeaderField, end bool)    // the head of the newest of the requests
	section(s *exchange, fields []hpack.HeaderField, end bool) // trailers
	data(s *exchange, b []byte, end bool)                      // a part of a body; it may wait
	cancel(s *exchange)                                        // the request is given up

	// giveBack is called when a test reads a response: of others the client reads no more than fits into a window.
	giveBack(s *exchange)

	lives() bool // whether the connection still responses, and has not said that it will end; it may wait
	close()
}

// exchange is a request and its response.
type exchange struct {
	heads   [][]hpack.HeaderField
	body    []byte
	hearing bool
	ended   bool
	reset   string // the code of HTTP/2 with which the server has reset it
	lost    bool   // the server has said that it will not serve it

	h2 h2Stream
	h3 h3Stream
}

func newSession(s *scene, w wire) *session {
	h := &session{s: s, wire: w}
	h.changed.L = &h.mu
	return h
}

// begin greets the server, if that was not done. The lock is held.
func (h *session) begin() {
	if h.begun {
		return
	}
	h.begun = true
	h.wire.greet()
	go h.speak()
}
