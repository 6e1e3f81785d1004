package servercall

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc/internal/frame"
)

// input is the side of a call that receives. mu is held while it reads, so that the exchange is left alone after close.
type input struct {
	mu     sync.Mutex
	x      Exchange // nil once closed
	frames frame.Reader
	done   bool // the message of a request that is one message was received from the stream
}

// close makes a receive that waits fail, waits until it has returned, and refuses others.
func (in *input) close() {
	if !in.mu.TryLock() {
		in.x.SetReadDeadline(time.Unix(1, 0)) // x is set: only close clears it, and one goroutine closes
		in.mu.Lock()
	}
	in.x = nil
	in.frames.Free()
	in.mu.Unlock()
}

// errOver is returned by what a handler does with a call that is over.
var errOver = status.Error(codes.Canceled, "grpc: the call is over")

// receiveOnly receives the message of a unary call. Generated code calls it.
func (c *Call) receiveOnly(v any) error {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	if c.in.x == nil {
		return errOver
	}
	return c.request.protocol.receiveOnly(c, v)
}

// receive receives the next message of a stream.
func (c *Call) receive(v any) error {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	if c.in.x == nil {
		return errOver
	}
	clientStreams, _ := c.method.streams()
	if clientStreams {
		return c.request.protocol.receive(c, v)
	}
	if c.in.done {
		return io.EOF
	}
	c.in.done = true
	return c.request.protocol.receiveOnly(c, v)
}

// body reads a whole body whose message is at most most bytes, with over bytes around it.
func (c *Call) body(most, over int) ([]byte, error) {
	b, err := c.in.x.Body(int64(most) + int64(over))
	if err == nil {
		return b, nil
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, status.Errorf(codes.ResourceExhausted, "grpc: received message is larger than the limit of %d bytes", most)
	}
	return nil, c.readError(err)
}

// readError returns the status for an error of reading the request or writing the response.
func (c *Call) readError(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	if reason := c.ending.reason(); reason != nil {
		return status.FromContextError(reason).Err()
	}
	return status.Errorf(codes.Canceled, "grpc: the client has gone: %v", err)
}

// receiveError returns the error of receive for err, an error of frame.Reader.
func (c *Call) receiveError(err error) error {
	if err == io.EOF {
		return err
	}
	return c.readError(err)
}
