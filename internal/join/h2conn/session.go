package h2conn

import (
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// session is what the streams of a connection share: the lock, the HTTP/2 state, the output and the alarm. It knows no
// streams; Conn does.
type session struct {
	link  *netconn.Conn
	owner Owner

	mu        sync.Mutex
	wire      *http2.Conn
	out       []byte // output of streams, in the order in which it was encoded
	err       error  // why the connection is over; nil while it is not
	alarm     int64  // when Alarm is due; 0 if it is not set
	policy    *Policy
	draws     uint32      // how often AppendOutput was called
	messages  uint32      // see MessagesLocked
	uncounted *errorNames // error names that CountError has not been given yet; may be nil
	activity  activity
	inData    bool // Data is running: output appended now is sent when it returns
	ended     bool // the peer has closed its sending side

	roomWanted bool // a goroutine is blocked in AwaitRoomLocked
}

// ErrClosed is net.ErrClosed: the error of a stream that its owner has ended, and of writing after the end of our
// message.
var ErrClosed = net.ErrClosed

// Lock locks the connection.
func (c *session) Lock() { c.mu.Lock() }

// Unlock unlocks the connection.
func (c *session) Unlock() { c.mu.Unlock() }

// Link returns the underlying connection.
func (c *session) Link() *netconn.Conn { return c.link }

// WireLocked returns the HTTP/2 state of the connection.
func (c *session) WireLocked() *http2.Conn { return c.wire }

// ErrLocked returns why the connection is over, or nil if it is not.
func (c *session) ErrLocked() error { return c.err }

// EndedLocked reports whether the peer has closed its sending side.
func (c *session) EndedLocked() bool { return c.ended }

// MessagesLocked counts the parts of messages that have arrived: header sections and DATA, modulo 2^32.
func (c *session) MessagesLocked() uint32 { return c.messages }

// Now returns the current time for the wire. It is as coarse as netconn's clock.
func (c *session) Now() int64 { return c.link.Moment() }

// outputReadyLocked tells the owner that there is output to send, unless Data is running, which sends it anyway.
func (c *session) outputReadyLocked(last bool) {
	if !c.inData && c.err == nil {
		c.owner.OutputReadyLocked(last)
	}
}

// ArmLocked makes DueLocked be called at the time at, or earlier; 0 is never. It does nothing once the connection is over.
func (c *session) ArmLocked(at int64) {
	if at == 0 || c.err != nil || c.alarm != 0 && c.alarm <= at {
		return
	}
	c.alarm = at
	c.link.SetAlarm(time.Duration(max(at-c.Now(), 1)))
}

// NoteStreamsLocked is called whenever streams may have begun, by the owner when it has begun one of its own outside Data.
// It tells netconn that there is work: a connection with streams is not idle, not parked and not closed by Shutdown.
func (c *session) NoteStreamsLocked() {
	if c.err != nil {
		return
	}
	if c.wire.Len() > 0 && c.activity.streams() {
		c.link.BeginWork()
		c.ArmLocked(c.Now() + int64(idleDelay))
	}
	c.ArmLocked(c.wire.Deadline())
}

// becomeIdleLocked reports whether there are no streams any more and the caller must call EndWork.
func (c *session) becomeIdleLocked() bool { return c.wire.Len() == 0 && c.activity.noStreams() }

// endingLocked reports whether the connection ends with its last stream.
func (c *session) endingLocked() bool { return c.ended || c.wire.Drained() }

// parkLocked releases the memory that a connection without streams does not need.
func (c *session) parkLocked() {
	if len(c.out) == 0 {
		c.out = nil
	}
	c.wire.Trim()
}

// CountLaterLocked passes name to Policy.CountError once the lock is released. It is for code that this package calls
// with the lock held.
func (c *session) CountLaterLocked(name string) {
	if c.policy.CountError == nil {
		return
	}
	if c.uncounted == nil {
		c.uncounted = new(errorNames)
	}
	*c.uncounted = append(*c.uncounted, name)
}

// countErrorLocked is CountLaterLocked for an error of the HTTP/2 protocol. scope is connPrefix or streamPrefix.
func (c *session) countErrorLocked(scope string, err error) {
	if c.policy.CountError == nil {
		return
	}
	if name := counterOf(scope, err); name != "" {
		c.CountLaterLocked(name)
	}
}

// takeUncountedLocked returns the names that were noted and forgets them.
func (c *session) takeUncountedLocked() *errorNames {
	names := c.uncounted
	c.uncounted = nil
	return names
}

// earlier returns the earlier of two times, where 0 means never.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
