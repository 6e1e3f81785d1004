package streamsock

import (
	"github.com/shockwave-go/shockwave/internal/lenframe"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// greeting is the protocol of tcp, tls and unix until the first message is there, which Config.Accept is to see.
type greeting struct {
	sock    *Socket
	nc      *netconn.Conn
	arrival *Arrival
	wire    *stream
	done    bool
}

// Alarm implements netconn.Alarmer: the message comes too late.
func (g *greeting) Alarm() { g.nc.Abort() }

// Data implements netconn.Protocol.
func (g *greeting) Data(c *netconn.Conn, in []byte) (n int, err error) {
	for {
		e, p, k, err := g.wire.in.Next(in[n:])
		n += k
		switch {
		case err != nil:
			return n, err
		case e == lenframe.Nothing:
			return n, nil
		case e == lenframe.Message, e == lenframe.End:
			g.wire.gather.add(p, len(p))
			return n, g.greet(c)
		default:
			g.wire.gather.add(p, int(min(int64(g.wire.in.Length()), 1<<31-1)))
		}
	}
}

// greet asks Config.Accept, and makes the connection a peer's.
func (g *greeting) greet(c *netconn.Conn) error {
	c.SetAlarm(0)
	g.done = true
	g.arrival.First = g.wire.gather.b
	err := g.sock.ask(g.arrival)
	g.arrival.First = nil
	g.wire.drop()
	if err == nil {
		var p netconn.Protocol
		if p, err = g.sock.admit(c, g.arrival, newStream(g.sock.cfg)); err == nil {
			c.Become(p)
			return nil
		}
	}
	g.sock.refused(g.arrival.Remote, err)
	return netconn.ErrDone
}

// End implements netconn.Protocol.
func (g *greeting) End(*netconn.Conn, error) {
	g.wire.drop()
	if !g.done {
		g.sock.refused(g.arrival.Remote, errLate)
	}
}
