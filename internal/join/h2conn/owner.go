package h2conn

import (
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// Owner uses the streams of a connection: a server or a client. Its methods whose names end in Locked are called with the
// connection's lock held, the others without.
type Owner interface {
	// HeadLocked handles a header section: an event of kind http2.EventHeaders, EventInformational or EventHeadersTooLarge.
	// If the peer opened the stream, HeadLocked must call BeginLocked for a Stream of its own. What ev points to is only
	// valid until HeadLocked returns.
	HeadLocked(ev *http2.Event)
	// TrailersLocked handles a trailer section, before the stream reaches the end of its input. What ev points to is only
	// valid until TrailersLocked returns.
	TrailersLocked(ev *http2.Event)
	// OutputReadyLocked reports that there is output to send: the owner must call Draw soon, without the lock. last means
	// that this is the last output of its stream, so the goroutine that uses the stream can call Draw itself.
	OutputReadyLocked(last bool)
	// Draw sends pending output, as much as the peer takes: it is the method of the Conn, which the owner embeds.
	Draw()
	// Ready is called on the connection's goroutine when all received bytes have been processed.
	Ready()
	// Closed is called once, when the connection has ended and all its streams have failed.
	Closed(err error)
}

// Watcher is an Owner that also handles events of the connection itself: a client, or a server that checks its peers.
type Watcher interface {
	// ConnEventLocked handles EventSettings, EventSettingsAck, EventGoAway and EventPong, and an EventReset that the peer
	// sent. What ev points to is only valid until ConnEventLocked returns.
	ConnEventLocked(ev *http2.Event)
	// DueLocked does what is due at now and returns when it wants to be called again, 0 for never. It is called at the time
	// given to ArmLocked, and at other times too. An error ends the connection and its streams.
	DueLocked(now int64) (next int64, err error)
}

// Policy holds the limits and hooks of an owner. All its connections share it.
type Policy struct {
	MinReadRate int           // lowest rate, in bytes per second, of a body that a reader waits for; 0 is no limit
	RateGrace   time.Duration // time before MinReadRate is enforced

	// CountError, if set, is called without the lock for every protocol error, with a name for a counter: conn_ or
	// stream_, the code, and http2.Error's Name. CountLaterLocked passes other names to it.
	CountError func(name string)
}
