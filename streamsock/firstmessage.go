package streamsock

import (
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// firstMessageConn is the protocol of tcp, tls and unix until the first message is complete, which Config.Accept needs.
type firstMessageConn struct {
	sock    *Socket
	nc      *netconn.Conn
	arrival *Arrival
	wire    *stream
	done    bool
}

// Alarm implements netconn.Alarmer: the first message is too late.
func (g *firstMessageConn) Alarm() { g.nc.Abort() }

// Data implements netconn.Protocol.
func (g *firstMessageConn) Data(c *netconn.Conn, in []byte) (n int, err error) {
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
			return n, g.admit(c)
		default:
			g.wire.gather.add(p, int(min(int64(g.wire.in.Length()), 1<<31-1)))
		}
	}
}

// admit calls Config.Accept and makes the connection a peer's.
func (g *firstMessageConn) admit(c *netconn.Conn) error {
	c.SetAlarm(0)
	g.done = true
	g.arrival.First = g.wire.gather.b
	err := g.sock.callAccept(g.arrival)
	g.arrival.First = nil
	g.wire.drop()
	if err == nil {
		var p netconn.Protocol
		if p, err = g.sock.admit(c, g.arrival, newStream(&c.Output, g.sock.cfg.format)); err == nil {
			c.Become(p)
			return nil
		}
	}
	g.sock.refused(g.arrival.Remote, err)
	return netconn.ErrDone
}

// End implements netconn.Protocol.
func (g *firstMessageConn) End(*netconn.Conn, error) {
	g.wire.drop()
	if !g.done {
		g.sock.refused(g.arrival.Remote, errLate)
	}
}
