// Package muxsession is one side of a session of channels: what may be sent and what has been received, over any number of
// connections, one after the other. It does no I/O, reads no clock and takes no lock: it is given bytes and moments, appends
// frames, and tells a Watcher what has happened. Two of them run between two slices of bytes.
//
//	Send ──► waiting ──► outbox ──Lend──► connection ──Receive──► inbox ──► Take
//	         by turns    sent, not acknowledged        windows     of each channel
//
// All of a session belongs to whoever holds the lock of the package that uses it; no method may be called while another
// runs, and what a Watcher is told in must not call back.
//
// The wire is described in docs/wire/tcpmux.md.
package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// Memory lends slices of bytes and takes them back.
type Memory interface {
	// Get returns a slice of length size, whose content is not defined.
	Get(size int) []byte
	// Put takes a slice back. Nobody uses it any more.
	Put(b []byte)
}

// Watcher is told what happens while a method of Session runs. Its methods must not call those of the session.
type Watcher interface {
	// Announced is told that the peer has opened a channel, and returns one to be it. meta is valid until it returns.
	Announced(name string, meta []byte) *Channel
	// Readable is told that there is something more to be received: a message, or an end.
	Readable(c *Channel)
	// Sent is told that a Send that has waited is done; p.Err says how.
	Sent(p *Send)
	// Acked is told that more messages are acknowledged, or that no more will be.
	Acked(c *Channel)
	// Over is told that the channel is over for both sides. It returns whether nobody will take what has come.
	Over(c *Channel) (drop bool)
}

// Config is what a session is made with.
type Config struct {
	Dialler bool
	Watcher Watcher
	Theirs  muxframe.Limits // as the peer's greeting said
	*Settings
}

// Settings are what sessions may have in common; they are not changed.
type Settings struct {
	Memory      Memory
	Ours        muxframe.Limits // as our greeting said
	MaxChannels int             // at a time
	Kept        int             // bytes that may be in the outbox
	LastNumber  uint32          // of a channel, from which numbers begin anew; 0: muxframe.MaxChannel
}
