package netconn

import (
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/latchedconn"
	"github.com/shockwave-go/shockwave/internal/core/lot"
)

// Hijack sends the queued output and takes the connection out of the engine. The caller owns the returned connection
// and the bytes that were read ahead and not taken. Outside the latch the connection is the accepted net.Conn, or the
// *tls.Conn on it, without deadlines. Inside the latch it is a wrapper, which works at once and passes everything on
// after Data has returned.
func (c *Conn) Hijack() (net.Conn, []byte, error) {
	if c.ownership.is(hijacked) {
		return nil, nil, ErrHijacked
	}
	if c.aborted() {
		return nil, nil, ErrAbort
	}
	if err := c.seal(); err != nil {
		return nil, nil, err
	}
	c.takeTransport()
	ahead := append([]byte(nil), c.Unread()...)
	c.in.TakeAll()
	c.leaveLot()
	below := c.tr.Below()
	if c.Latched() {
		c.eng.addOtherUsers(+1)
		given := latchedconn.New(below, hijackLatch{c})
		c.ensureExtra().hijacked.Store(given)
		below = given
	}
	c.leaveEngine()
	c.setState(StateHijacked)
	c.ownership.Store(hijacked)
	return c.tr.GiveAway(below), ahead, nil
}

// hijackLatch is a Conn as latchedconn.Conn sees it. It implements latchedconn.Latch.
type hijackLatch struct{ c *Conn }

func (l hijackLatch) Raw() syscall.RawConn { return l.c.tr.Raw() }
func (l hijackLatch) AskInput() bool       { return l.c.ask(lot.Input) }
func (l hijackLatch) LeaveLot()            { l.c.leaveLot() }

// left notes that the latch has been left, and makes the latchedconn.Conn, if there is one, pass everything on.
func (l hijackLatch) left() {
	x := l.c.extra.Load()
	if x == nil {
		return
	}
	if h := x.hijacked.Load(); h != nil {
		h.Left()
		l.c.eng.addOtherUsers(-1) // may wait for the lot's goroutine, which may be about to call h.Wake
	}
}
