package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Watcher is called on events while a method of Session runs. Its methods must not call those of the session.
type Watcher interface {
	// Exact returns the time on the clock that methods are passed times of. Those may be late by a few milliseconds, which
	// is too much where a round trip is measured.
	Exact() int64
	// Announced is called when the peer has opened a channel. It returns a zero Channel for it, or nil to refuse it. meta is
	// only valid until it returns.
	Announced(name string, meta []byte) *Channel
	// Readable is called when a channel has another message or has ended.
	Readable(c *Channel)
	// Sent is called when a Send that has waited is done; p.Err is its error.
	Sent(p *Send)
	// Acked is called when more messages of a channel are acknowledged or were dropped, or no more will be.
	Acked(c *Channel)
	// Over is called when the channel is over for both sides. It returns whether the messages in the inbox are to be
	// dropped.
	Over(c *Channel) (drop bool)
}

// Config configures a session.
type Config struct {
	Watcher Watcher
	Theirs  muxframe.Limits // from the peer's greeting
	Dialler bool
	*Settings
}

// Settings are the part of Config that sessions may share. They are not changed.
type Settings struct {
	Memory      Memory
	Ours        muxframe.Limits // from our greeting
	MaxChannels int             // the most open channels
	Kept        int             // the outbox takes no message beyond this many bytes
	LastNumber  uint32          // the largest channel number, after which numbers start again; 0: muxframe.MaxChannel
}
