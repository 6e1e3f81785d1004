package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// plainLoop is the serve loop for a net.Conn of any kind.
type plainLoop struct{ runner }

func (c plainLoop) serve() error {
	for look := false; ; {
		space, err := c.roomToRead()
		if err != nil {
			return err
		}
		c.armWait()
		last := look || c.in.Empty() && c.endsWhenIdle()
		if look = false; last {
			c.tr.ReaderWoken()
			// Input that has arrived already still gets its response when the engine ends.
			c.waitUntil(&c.readBy, c.eng.clock.Now()+int64(clock.Tick))
		}
		n, err := c.read(space)
		c.readBy.Store(0)
		switch {
		case n > 0:
			c.arrived(n, len(space))
			if err = c.runData(); err == nil {
				c.beginWait()
				if c.stack.TooSmall() {
					err = errDeepStack
				}
			}
		case transport.TimedOut(err) && c.tr.ReaderWoken():
			if look, err = c.woken(); look && !last {
				err = nil
			}
		default:
			err = c.endOfInput(err)
		}
		if err != nil {
			return err
		}
	}
}
