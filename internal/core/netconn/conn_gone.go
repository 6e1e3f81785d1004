package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/peergone"
	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// OnGone calls f once, on a goroutine of its own, when the peer has closed its half, closed or reset the connection, when
// reading or writing has failed, or at Abort. The caller must stop the call when it has no more use for f. Any number of
// callbacks may be registered. Any goroutine may call OnGone while Data runs or work is outstanding.
//
// On the plain loop only a read can detect the peer's end. Once that read has returned some of the next message, no
// other is started. Where the process has no descriptor left for a lot, f is never called for the peer's end.
func (c *Conn) OnGone(f func()) GoneCall { return c.onGone(peergone.Func{F: f}) }

// OnGoneInline is OnGone for an f that is called on the goroutine that notices: before the read or write that fails
// returns, and before Abort returns. f must not block and must not use the connection. If the peer is known to have gone,
// f is called before OnGoneInline returns.
func (c *Conn) OnGoneInline(f func()) GoneCall { return c.onGone(peergone.Func{F: f, Inline: true}) }

func (c *Conn) onGone(f peergone.Func) GoneCall {
	if c.ownership.is(hijacked) {
		return GoneCall{} // the new owner reads
	}
	x := c.ensureExtra()
	call := x.gone.Add(f)
	if c.over() { // the goroutine that has ended it calls the callbacks afterwards
		x.gone.Make()
	}
	if c.tr.Socket() {
		c.ask(lot.Gone) // without a lot nothing reports the end: the latch holds the read lock, so a read is not possible
	} else if x.gone.Any() {
		x.goneReader.Start(background{c})
	}
	return call
}

// Gone reports whether the peer has closed its half, closed or reset the connection, whether reading or writing has
// failed, or Abort was called. If this is not known yet, Gone asks the system, with one system call. Where only a read
// can tell, it begins one and waits for it for a moment; a later Gone does not wait. Any goroutine may call Gone while
// Data runs.
func (c *Conn) Gone() bool {
	switch {
	case c.ownership.is(hijacked):
		return false // the new owner reads
	case c.over():
		return true
	}
	left, known := c.look()
	if !known {
		return c.ensureExtra().goneReader.Sees(background{c})
	}
	if left {
		c.NoteGone()
	}
	return left
}

// look asks the system whether the peer has gone. known is false if the system does not tell.
func (c *Conn) look() (gone, known bool) {
	if c.Latched() {
		gone, errno := sys.PeerGone(int(c.latch.fd))
		return gone, errno == 0
	}
	return c.tr.PeerGone()
}

// NoteGone notes that the peer has gone: it calls the callbacks of OnGone, and Gone returns true from now on. Any goroutine
// may call it while Data runs.
func (c *Conn) NoteGone() { c.ensureExtra().gone.Make() }
