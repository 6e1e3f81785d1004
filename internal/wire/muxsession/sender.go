package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Send is a message to be sent. It and P belong to the session until Session.Send returns true, Watcher.Sent is called, or
// Cancel returns true.
type Send struct {
	P     []byte
	Err   error // valid when the Send is done
	Owner any   // for the user of this package

	off  int
	next *Send
}

// left returns how many bytes are not in the outbox yet.
func (p *Send) left() int { return len(p.P) - p.off }

// Class is the priority class of a channel.
type Class int8

// The classes.
const (
	Urgent Class = iota
	Normal
	Background
	classes
)

// sender is the sending half of a channel: its waiting Sends, what the peer allows it, and its counts.
type sender struct {
	first    *Send // waiting Sends; a part of the first may be in the outbox
	last     *Send
	credit   int   // what the peer's window for the channel has left
	exempt   int   // what a GRANT has left for the current message
	reserve  int32 // what the channel's reserve has left
	starving int32 // place among the channels that wait for the session's window; 0: none
	queued   bool  // in a queue of the scheduler
	class    Class
	counts   sentCounts
}

// sentCounts count the messages of a channel. Those that were cancelled half-way have a last frame, and are not sent.
type sentCounts struct {
	fins      uint64 // messages whose last frame is in the outbox or has left it
	finsAcked uint64 // how many of these frames the peer has received
	grants    uint64 // the messages up to the last one for which a GRANT has come
	sent      uint64 // messages that are in the outbox as a whole
	acked     uint64
	voided    uint64 // messages that were dropped on their way
}

// midMessage reports whether a part of a message is in the outbox, and its end is not.
func (h *sender) midMessage() bool { return h.first != nil && h.first.off > 0 }

// push appends p to the waiting Sends.
func (h *sender) push(p *Send) {
	if h.last != nil {
		h.last.next = p
	} else {
		h.first = p
	}
	h.last = p
}

// pop removes and returns the first waiting Send. There must be one.
func (h *sender) pop() *Send {
	p := h.first
	if h.first = p.next; h.first == nil {
		h.last = nil
	}
	p.next = nil
	h.exempt = 0
	return p
}

// removeLater removes p, which is not the first, and reports whether it was there.
func (h *sender) removeLater(p *Send) bool {
	for q := h.first; q != nil; q = q.next {
		if q.next != p {
			continue
		}
		if q.next = p.next; p.next == nil {
			h.last = q
		}
		p.next = nil
		return true
	}
	return false
}

// enough reports whether a window with the given credit allows a piece to be sent of a message with n bytes left. The piece
// must be the whole rest or at least minPiece.
func enough(credit, n, window int) bool {
	return credit-muxframe.Overhead >= min(n, minPiece(window))
}

// minPiece is the smallest piece of a message that is sent before the window allows the rest.
func minPiece(window int) int { return min(4<<10, window/8) }
