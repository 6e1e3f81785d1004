package websocket

import (
	"context"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/backlog"
)

// WriteMessage writes p as a message in one frame. It returns once the connection has accepted it: sent it or copied it.
// p is neither changed nor used afterwards. Text must be UTF-8, which is not checked; a t that is neither text nor
// binary is refused. It is safe for concurrent use.
//
// Messages of one goroutine arrive in the order of its calls, including calls of Send and NextWriter. If messages of
// Send are still waiting, WriteMessage waits until they are sent.
//
// While the peer does not take what was written before, WriteMessage waits, until the write deadline; if that passes while
// something is being sent, the connection ends with os.ErrDeadlineExceeded. A peer that takes less than 240 bytes a second
// is given up likewise, after 20 seconds to 15 minutes: as long as its buffers may hide that it reads. After Close and
// after the end of the connection the error is ErrClosed.
func (c *Conn) WriteMessage(t MessageType, p []byte) error {
	return c.send.write(context.Background(), t, p)
}

// WriteMessageContext is like WriteMessage, but returns ctx's error when ctx is done. The connection is unaffected. If the message
// had to wait for others, it is not sent. If it has begun to be sent, it goes on: what the peer has not taken was copied,
// and later messages follow it. A message that is compressed with context takeover is waited for once it has begun.
func (c *Conn) WriteMessageContext(ctx context.Context, t MessageType, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.send.write(ctx, t, p)
}

// Send queues p as a message and does not wait until it is sent. If the peer is slow and the backlog is full,
// Config.Slow decides; by default Send then waits for room. Messages of one goroutine, by whatever method, arrive in the
// order of its calls, except for a message that replaced another one (see SendKey). p is neither changed nor used
// afterwards.
//
// The error is ErrClosed after Close and after the end of the connection, and ErrSlowPeer if CloseWhenSlow has ended
// it. Close sends everything that was accepted before it ends the connection; Dropped counts messages that were not sent
// in the end.
func (c *Conn) Send(t MessageType, p []byte) error { return c.send.send("", t, p, true) }

// SendKey is Send, with a key. If Config.Slow is LatestPerKey, the message replaces a waiting one with the same key. If
// it is too large for that place, the old message is dropped, and the new one waits behind the others. Messages with an
// empty key are not replaced.
func (c *Conn) SendKey(key string, t MessageType, p []byte) error {
	return c.send.send(key, t, p, true)
}

// SendPrepared is Send of a prepared message.
func (c *Conn) SendPrepared(m *PreparedMessage) error { return m.sendTo(&c.send, true) }

// SendFunc is Send that reports the outcome: done is called once, on a goroutine of its own. Its err is nil when the
// message has been handed to the network, which does not mean that the peer has it. Otherwise err is ErrDropped if the
// message was dropped because of Config.Slow, or the reason why nothing can be sent any more. A caller that wants a
// bounded number of messages in flight sends the next one from done.
func (c *Conn) SendFunc(t MessageType, p []byte, done func(err error)) {
	frame, err := c.send.frameOf(t, p)
	if err != nil {
		go done(err)
		return
	}
	var refused error
	shared := bufpool.ShareFunc(frame, func(sent bool) {
		go func() { done(c.send.outcome(sent, refused)) }()
	})
	refused = c.send.post(backlog.Item{Shared: shared.Retain()}, true)
	shared.Release()
}

// Dropped returns the number of messages of Send and its variants that were not sent because of Config.Slow, or that
// still waited in the backlog when the connection ended.
//
// It does not count messages that had left the backlog by then, although they may be lost with the connection, for
// example when CloseNow cuts off a peer that is behind: 64 KiB or one message being sent, as much behind it, and the
// data in the system's socket buffer. SendFunc reports the outcome of each message.
func (c *Conn) Dropped() int64 { return c.send.dropped() }

// Ping sends a ping and waits for its pong, or until ctx is done (RFC 6455 §5.5.2). The connection must be read
// meanwhile, or the pong cannot be received. If the peer does not read, Ping waits for it to take what was sent before.
// A ping may be sent in the middle of a message that is being written with NextWriter (§5.4).
func (c *Conn) Ping(ctx context.Context) error { return c.send.ping(ctx) }
