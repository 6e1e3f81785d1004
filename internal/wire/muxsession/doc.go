// Package muxsession implements one side of a session of channels: what it may send and what it has received, over any
// number of connections, one after the other. It does no I/O, reads no clock and takes no lock: it is passed bytes and
// times, appends frames, and calls a Watcher on events and for the exact time. A test can connect two sessions with byte slices.
//
//	Send ──► waiting ──► outbox ──Lend──► connection ──Receive──► inbox ──► Take
//	         scheduler   sent, not acknowledged        windows     of each channel
//
// A session is guarded by the lock of the package that uses it: only one method may run at a time, and a Watcher must not
// call methods of the session.
//
// The wire is described in docs/wire/tcpmux.md.
package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Memory is a pool of byte slices.
type Memory interface {
	// Get returns a slice of length size. Its content is undefined.
	Get(size int) []byte
	// Put returns a slice to the pool. It must not be used afterwards.
	Put(b []byte)
}

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
