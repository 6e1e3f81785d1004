package tcpmux

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/muxsession"
)

// Channel is one conversation of messages. All methods may be called concurrently.
//
// A channel of the peer's is over for this side, too, when Receive has told its end and CloseSend was called; who does not
// want the rest calls Close, or what has come stays in memory.
type Channel struct {
	s    *Session
	core muxsession.Channel
	meta []byte

	// Guarded by s.mu.
	readers  waitList
	flushers waitList
	read     deadline
	write    deadline
	over     chan struct{} // closed when the channel is over; made by the first who asks
	ended    bool
	closed   bool   // Close was called
	waits    bool   // for Accept
	left     func() // is called when the channel is over
}

// Name returns the channel's name.
func (c *Channel) Name() string { return c.core.Name() }

// Metadata returns what the peer has opened the channel with, nil if it has not, or without any. It must not be changed.
func (c *Channel) Metadata() []byte { return c.meta }

// Opened tells who has opened the channel: Us, also where both have.
func (c *Channel) Opened() Side {
	if c.core.Opened() {
		return Us
	}
	return Peer
}

// Session returns the session that the channel belongs to.
func (c *Channel) Session() *Session { return c.s }

// SetPriority changes the priority of what this side sends.
func (c *Channel) SetPriority(p Priority) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.core.SetClass(p.class())
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Channel) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// SetReadDeadline bounds Receive, also one that waits; the zero time is none.
func (c *Channel) SetReadDeadline(t time.Time) error {
	c.s.mu.Lock()
	defer c.s.unlock()
	c.read.set(t)
	c.s.tellAll(&c.readers)
	return nil
}

// SetWriteDeadline bounds Send, also one that waits; the zero time is none.
func (c *Channel) SetWriteDeadline(t time.Time) error {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.write.set(t)
	return nil
}
