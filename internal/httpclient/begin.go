package httpclient

import (
	"context"
	"errors"

	"github.com/shockwave-go/shockwave/internal/h2client"
)

// begin finds a connection, and sends the request's head and a body that is there already.
func (cl *Client) begin(ctx context.Context, k *Call) (exchange, error) {
	pl := cl.place(k.Key)
	defer pl.release()
	for range mostTries {
		if cl.closed.Load() {
			return nil, ErrClosed
		}
		if pl.speaks.Load() == 2 {
			s, err := cl.beginStream(ctx, pl, k)
			if err == errLook {
				continue
			}
			return s, err
		}
		c, h2, err := pl.get(ctx, k)
		if err != nil {
			return nil, err
		}
		if h2 {
			continue
		}
		fresh := c.Served() == 0
		if err = c.begin(k); err == nil {
			return c, nil
		}
		if pl.gone(c); fresh {
			return nil, err
		}
	}
	return nil, errNoUse
}

// mostTries is how many connections may be found that end as a request is to begin, or speak another version than before.
const mostTries = 100

var errNoUse = errors.New("http: the server ends its connections before a request")

// begin begins the turn of a connection that was got for it.
func (c *conn) begin(k *Call) error {
	k.head = k.Head.AppendHTTP1(k.head[:0], !c.toProxy)
	sends := k.streams()
	body := k.Bytes
	if sends {
		body = nil
	}
	if k.Expect > 0 && sends {
		c.Expect()
	}
	if g, ok := c.Link().NetConn().(Guest); ok {
		g.Mark()
	}
	if err := c.Begin(k.Method, k.head, body, sends, k.Length < 0); err != nil {
		return err
	}
	if c.last = k.Close; c.last {
		c.Last()
	}
	c.trace = k.Trace
	k.Trace.begun(c.info(), sends)
	return nil
}

// beginStream begins a request on a connection of HTTP/2.
func (cl *Client) beginStream(ctx context.Context, pl *place, k *Call) (exchange, error) {
	s := cl.newStream()
	sends := k.streams()
	inPlace := !sends && len(k.Bytes) > 0
	s.both = k.Tunnel && !sends && !inPlace
	if k.Expect > 0 && sends {
		s.Expect()
	}
	key := pl.key.h2()
	err := cl.h2.Start(ctx, key, &s.Exchange, k.Head, sends || inPlace || s.both)
	if err != nil {
		s.both = false
		s.home.Put(s)
		if err == h2client.ErrClosed {
			err = ErrClosed
		}
		return nil, err
	}
	c := s.Exchange.Conn()
	s.c.Store(c)
	if s.reused, s.wait = c.Reused(), 0; s.reused {
		cl.stats.reused.Add(1)
	}
	s.heads, s.bytes, s.most = 0, 0, int(cl.cfg.HTTP2.Wire.MaxHeaderList)
	k.Trace.begun(s.info(), sends)
	if k.Close {
		c.Close()
	}
	if inPlace {
		s.SendPart(k.Bytes, true) // what fails here, fails again
		s.leave()
	}
	return s, nil
}
