package websocket

import (
	"context"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/wsmessage"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// receiver is the receiving half of a connection. With Config.OnMessage only its inbound is used; see served. Otherwise
// goroutines of the user read. One at a time does: it holds mu, and owns everything but out. The reader also carries
// out the end of the connection, which others may have decided; see recv_end.go.
type receiver struct {
	out       *sender
	pull      *netconn.Pulled // nil if the engine reads
	mu        contextMutex    // held while reading; see unlock
	in        inbound
	message   *messageReader // the reader that the current message belongs to
	held      bool           // output is held back until the end of a batch of frames
	heartbeat *heartbeat     // nil without Config.PingInterval
}

// isServed reports whether the engine reads, for Config.OnMessage.
func (r *receiver) isServed() bool { return r.pull == nil }

// inbound is the messages that arrive: an Assembler whose compressed messages are decompressed.
type inbound struct{ wsmessage.Assembler }

// next is Take with decompressed messages, and with errors for the user.
func (in *inbound) next(b, dst []byte, c *permessage.Contexts) (e wsmessage.Event, p []byte, n int, err error) {
	e, p, n, err = in.Take(b, dst)
	if err == nil && (e != wsmessage.Message || !in.Compressed()) {
		return e, p, n, nil
	}
	if err != nil {
		return e, nil, n, frameError(err)
	}
	p, err = in.content(p, c)
	return e, p, n, err
}

// content returns the content of the compressed message p.
func (in *inbound) content(p []byte, c *permessage.Contexts) ([]byte, error) {
	plain, err := c.Decompress(p, in.Limit())
	if err == nil {
		err = in.SetContent(plain)
	}
	return plain, frameError(err)
}

// messageType returns the type of the message found last.
func (in *inbound) messageType() MessageType { return MessageType(in.Opcode()) }

// readUntil calls read once no other goroutine is reading, and interrupts it when ctx is done.
func (r *receiver) readUntil(ctx context.Context, read func() error) error {
	switch {
	case r.isServed():
		return errCallbacks
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err := r.mu.LockContext(ctx); err != nil {
		return err
	}
	defer r.unlock()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		r.pull.Interrupt(true)
		close(interrupted)
	})
	err := read()
	if !stop() {
		<-interrupted
		r.pull.Interrupt(false)
		if err == netconn.ErrInterrupted {
			err = ctx.Err()
		}
	}
	return err
}
