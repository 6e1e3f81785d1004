package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// shared is what both directions of a session use: frames of either go to the outbox.
type shared struct {
	watcher Watcher
	cfg     *Settings
	theirs  peerLimits
	link
	out       outbox
	budget    budget
	numbering numbering
	phase     phase
	stats     Stats
	*channels // noChannels while there are none
}

// peerLimits are the limits of the peer's greeting that concern what is sent.
type peerLimits struct{ window, session, maxMessage, reserve uint32 }

// phase is how far the end of a session has come. GOAWAY of the peer is answered at once, so that it never comes alone.
type phase uint8

const (
	running  phase = iota
	leaving        // GOAWAY follows the waiting Sends
	left           // GOAWAY is in the outbox
	bothLeft       // and the peer has sent GOAWAY
	terminated
)

// Stats are the counters of a session.
type Stats struct {
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64 // of messages
	Resent                   uint64 // bytes of frames
}

// Stats returns the counters.
func (h *shared) Stats() Stats { return h.stats }

// Dialler returns Config.Dialler.
func (h *shared) Dialler() bool { return h.numbering.isOurs(1) }

// Kept returns how many bytes are in the outbox.
func (h *shared) Kept() int { return h.out.kept() }

// GoingAway reports whether either side has begun to close the session.
func (h *shared) GoingAway() bool { return h.phase >= leaving }

// PeerGone reports whether the peer has sent GOAWAY.
func (h *shared) PeerGone() bool { return h.phase == bothLeft }

// Ended reports whether Terminate was called.
func (h *shared) Ended() bool { return h.phase == terminated }

// Done reports whether both sides have sent GOAWAY and the peer has acknowledged all our frames.
func (h *shared) Done() bool { return h.phase == bothLeft && h.out.base == h.out.end }

// tail returns the end of the outbox, to which a frame of at most size bytes is to be appended. The result goes to write.
func (h *shared) tail(size int) []byte { return h.out.room(h.cfg.Memory, size).b }

// write puts the frame that was appended to tail into the outbox. Frames other than DATA are written whatever the limit is:
// they are small and few for each frame of the peer. Receive ends the session if a peer acknowledges none of them.
func (h *shared) write(tail []byte) { h.out.wrote(tail) }

// writeReset writes RESET for a number whose channel is over now, or was refused.
func (h *shared) writeReset(number, code uint32) {
	h.write(muxframe.AppendReset(h.tail(muxframe.MaxControl), number, code))
	h.budget.allowLate()
}

// channels are the channels of a session, and what it keeps only while it has some.
type channels struct {
	table
	turns         // of those that send
	grants        // to those that receive
	opens  uint32 // bytes of OPEN frames in the outbox
}

// noChannels are the channels of all sessions that have none. They are looked at and never changed: what changes them has a
// channel.
var noChannels channels

// trimChannels replaces channels by noChannels if there are none, and nothing of them is in the outbox.
func (h *shared) trimChannels() {
	if h.table.empty() && h.out.kept() == 0 {
		h.channels = &noChannels
	}
}

// addChannel adds c to the session under the given number.
func (h *shared) addChannel(c *Channel, number uint32) {
	if h.channels == &noChannels {
		h.channels = &channels{table: newTable()}
	}
	ours := &h.cfg.Ours
	c.out.credit, c.out.reserve = int(h.theirs.window), int32(h.theirs.reserve)
	c.in.window, c.in.credit, c.in.reserve = int(ours.Window), int(ours.Window), int32(ours.Reserve)
	h.names[c.name], h.numbers[number], h.outgoing[number] = c, c, c
}
