package tcpmux

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// Channel is one conversation of messages. All methods may be called concurrently.
//
// A channel that the peer has opened stays in memory until Receive has returned its end and CloseSend was called. A program
// that does not want the remaining messages calls Close.
type Channel struct {
	s    *Session
	core muxsession.Channel
	meta []byte

	// Guarded by s.mu.
	readers       waitList // goroutines in Receive
	ackWaiters    waitList // goroutines in WaitAcked and Flush
	readDeadline  deadline
	writeDeadline deadline
	done          chan struct{} // closed when the channel is over; made by the first call of Done
	ended         bool
	closed        bool   // Close was called
	unaccepted    bool   // opened by the peer, and neither Accept nor Open has returned it
	onDone        func() // called when the channel is over
}

// Name returns the channel's name.
func (c *Channel) Name() string { return c.core.Name() }

// Metadata returns the metadata with which the peer has opened the channel; nil if there is none or this side has opened it
// before the peer. It must not be changed.
func (c *Channel) Metadata() []byte { return c.meta }

// OpenedBy returns the side that has opened the channel. It is SideLocal if both have, also if Open has returned a channel
// that the peer had opened before.
func (c *Channel) OpenedBy() Side {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.core.Opened() {
		return SideLocal
	}
	return SidePeer
}

// Session returns the session that the channel belongs to.
func (c *Channel) Session() *Session { return c.s }

// SetPriority changes the priority of the messages that this side sends.
func (c *Channel) SetPriority(p Priority) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.core.SetClass(p.class())
}

// SetDeadline sets the read and the write deadline.
func (c *Channel) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// SetReadDeadline sets the deadline of Receive calls, including those that are waiting now. The zero time means no deadline.
func (c *Channel) SetReadDeadline(t time.Time) error {
	c.s.mu.Lock()
	defer c.s.unlock()
	c.readDeadline.set(t)
	c.s.wakeAll(&c.readers)
	return nil
}

// SetWriteDeadline sets the deadline of Send calls, including those that are waiting now. The zero time means no deadline.
func (c *Channel) SetWriteDeadline(t time.Time) error {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.writeDeadline.set(t)
	return nil
}
