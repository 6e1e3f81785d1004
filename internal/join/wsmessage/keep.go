package wsmessage

import "github.com/shockwave-go/shockwave/internal/core/bufpool"

// Release releases the buffer of the last event's payload, unless it is still needed.
func (a *Assembler) Release() {
	if a.ctl != nil || a.msg != nil {
		a.releaseBuffers()
	}
}

func (a *Assembler) releaseBuffers() {
	if a.framed {
		return
	}
	bufpool.Put(a.ctl)
	a.ctl = nil
	if !a.kept && !a.seq.Open() {
		a.dropMessage()
	}
}

// lend makes dst the buffer of the message that begins, if it is in one frame and fits.
func (a *Assembler) lend(dst []byte) {
	if len(dst) > 0 && a.kind.Fin() && !a.kind.Opcode().IsControl() && !a.seq.Compressed() && a.left <= int64(len(dst)) {
		a.msg, a.lent = dst[:0:a.left], true
	}
}

// KeepLent gives a lent buffer back to its owner; the bytes of the message so far are copied.
func (a *Assembler) KeepLent() {
	if a.lent {
		a.msg, a.lent = append(bufpool.Get(len(a.msg))[:0], a.msg...), false
	}
}

func (a *Assembler) dropMessage() {
	if !a.lent {
		bufpool.Put(a.msg)
	}
	a.msg, a.lent = nil, false
}

// Keep keeps p, a message found by Take, for a later read.
func (a *Assembler) Keep(p []byte) {
	if len(a.msg) == 0 || len(p) == 0 || &a.msg[0] != &p[0] {
		a.msg = append(bufpool.Get(len(p))[:0], p...)
	}
	a.kept = true
}

// Drop releases all buffers.
func (a *Assembler) Drop() {
	bufpool.Put(a.ctl)
	a.dropMessage()
	a.ctl, a.kept = nil, false
}

// Kept reports whether Keep has kept a message that was not taken since.
func (a *Assembler) Kept() bool { return a.kept }

// TakeKept returns the kept message, which is valid until Release.
func (a *Assembler) TakeKept() []byte {
	a.kept = false
	return a.msg
}

// Gathered returns the payload of the current message that was gathered: a kept message, or the beginning of one that
// is now to be handed out in parts. It is nil if there is none.
func (a *Assembler) Gathered() []byte { return a.msg }

// PassGathered releases what Gathered returns, because it has been handed out. It reports whether that was the whole
// message.
func (a *Assembler) PassGathered() (whole bool) {
	if whole = a.kept; !whole {
		a.streamed += int64(len(a.msg))
	}
	a.kept = false
	bufpool.Put(a.msg)
	a.msg = nil
	return whole
}

// Detach returns the buffer of p, a message found by Take, if it is one from the pool, which the caller takes over. It
// returns nil if p is a slice of the bytes that were passed to Take.
func (a *Assembler) Detach() []byte {
	b := a.msg
	a.msg = nil
	return b
}
