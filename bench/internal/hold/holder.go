package hold

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Holder is a process that holds connections. Its methods are for one goroutine at a time.
type Holder struct{ *process.Dialogue }

// timeout is how long opening all connections, or an exchange on each, may take.
const timeout = 2 * time.Minute

// Open starts a process that holds n connections to s. It returns when each has got a response to a request for path.
func Open(ctx context.Context, s *process.Server, n int, path string) (*Holder, error) {
	return begin(ctx, s, n, path, fmt.Sprintf("-tls=%t", s.TLS))
}

// OpenHTTP2 is Open for connections that speak HTTP/2.
func OpenHTTP2(ctx context.Context, s *process.Server, n int, path string) (*Holder, error) {
	return begin(ctx, s, n, path, fmt.Sprintf("-tls=%t", s.TLS), "-http2")
}

// OpenHTTP3 is Open for connections that speak HTTP/3.
func OpenHTTP3(ctx context.Context, s *process.Server, n int, path string) (*Holder, error) {
	return begin(ctx, s, n, path, "-http3")
}

// OpenWebSockets starts a process that holds n WebSockets to path on s. It returns when each has done one exchange.
func OpenWebSockets(ctx context.Context, s *process.Server, n int, path string) (*Holder, error) {
	return begin(ctx, s, n, path, "-websocket")
}

// OpenSockets starts a process that holds n connections to a peer of package sockpeer. It returns when the peer has echoed
// a message on each.
func OpenSockets(ctx context.Context, s *process.Server, n int, transport string) (*Holder, error) {
	return begin(ctx, s, n, "", "-socket", transport)
}

func begin(ctx context.Context, s *process.Server, n int, path string, kind ...string) (*Holder, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{"hold", "-addr", s.Addr, "-conns", strconv.Itoa(n), "-path", path}, kind...)
	d, err := process.Talk(process.Command(ctx, process.Second, self, args...))
	h := &Holder{d}
	if err == nil {
		err = h.expectLine(opened)
	}
	if err != nil {
		return nil, h.failed(err)
	}
	return h, nil
}

// Again does another exchange on every connection.
func (h *Holder) Again() error {
	err := h.Say("")
	if err == nil {
		err = h.expectLine(answered)
	}
	if err != nil {
		return h.failed(err)
	}
	return nil
}

// Close ends the process, which closes the connections.
func (h *Holder) Close() { h.Stop() }

// failed ends the process and returns err with the process's standard error.
func (h *Holder) failed(err error) error {
	h.Stop()
	return fmt.Errorf("the connections that are held: %w %s", err, h.Said())
}

func (h *Holder) expectLine(word string) error {
	line, err := h.Hear(timeout)
	if err == nil && line != word {
		err = fmt.Errorf("%q instead of %q", line, word)
	}
	return err
}
