package netconn

import "github.com/shockwave-go/shockwave/internal/core/transport"

// background is a Conn as its background read sees it. It implements peergone.Transport.
type background struct{ c *Conn }

func (b background) MayRead() bool              { return b.c.ownership.is(ownedNotReading) }
func (b background) Read(p []byte) (int, error) { return b.c.read(p) }
func (b background) NoteGone()                  { b.c.goneCalls().Make() }
func (b background) Over() bool                 { return b.c.over() }

// Long reports whether the message has been worked on for longer than a tick.
func (b background) Long() bool { return b.c.eng.clock.Now() > b.c.dataSince }

func (b background) Woken(err error) bool { return transport.TimedOut(err) && b.c.tr.ReaderWoken() }

// releaseTransport notes that the loop, Fill or Read no longer waits for the transport. On the plain loop a background
// read may begin, since only a read can detect that the peer has gone.
func (c *Conn) releaseTransport() {
	if !c.tr.Socket() {
		background{c}.allow()
	}
}

// allow lets a background read begin if a callback of OnGone is kept.
func (b background) allow() {
	c := b.c
	c.ownership.Store(ownedNotReading)
	if x := c.extra.Load(); x != nil && x.gone.Any() {
		x.goneReader.Start(b)
	}
}

// takeTransport notes that the loop, Fill or Read is about to wait for the transport, and ends the background read. It
// reports whether that read returned input, which is then at the end of Unread. On a transport without deadlines,
// takeTransport waits for the background read.
func (c *Conn) takeTransport() bool { return !c.tr.Socket() && background{c}.end() }

// end ends the background read, and reports whether it has returned input.
func (b background) end() bool {
	c := b.c
	c.ownership.Store(owned) // first: a callback that is registered later finds it so, one registered before is seen below
	x := c.extra.Load()
	if x == nil {
		return false
	}
	r := x.goneReader.Take()
	if r == nil {
		return false
	}
	r.Stop()
	c.tr.WakeReader()
	r.Wait()
	c.tr.WakeReader() // the read may have consumed a wake that was meant for the loop, which must check its flags
	defer r.Release()
	c.in.Add(r.Input())
	return len(r.Input()) > 0
}
