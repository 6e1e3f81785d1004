package httpclient

import (
	"context"
	"errors"
	"slices"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// begin finds a connection and sends the request's head, together with a body that is in memory.
func (cl *Client) begin(ctx context.Context, k *Call) (exchange, error) {
	ex, err := cl.beginOnce(ctx, k)
	if err != nil && cl.http3 != nil && ctx.Err() == nil && k.mayUseHTTP3() && cl.http3.readyFor(k) {
		return cl.beginOnce(ctx, k) // the race was lost by TCP
	}
	return ex, err
}

func (cl *Client) beginOnce(ctx context.Context, k *Call) (exchange, error) {
	for tries := 0; tries < maxBeginTries; tries++ {
		switch {
		case cl.pools.closed.Load():
			return nil, ErrClosed
		case cl.unfit != nil:
			return nil, cl.unfit
		}
		if k.Key.Version == HTTP3 {
			return cl.beginKnownHTTP3(ctx, k)
		}
		hp := cl.poolFor(k)
		if cl.http3 != nil && k.mayUseHTTP3() {
			if ex, err := cl.beginHTTP3(ctx, hp, k); ex != nil || err != nil {
				return ex, err
			}
		}
		if hp.version.Load() == 2 {
			s, err := cl.beginStream(ctx, hp, k)
			if err == errLookAgain {
				k.pool = nil
				continue
			}
			return s, err
		}
		c, h2, err := hp.get(ctx, wish{exclusive: k.Close, bound: k.WaitContext})
		switch {
		case err == errLookAgain:
			k.pool = nil
			continue
		case err != nil:
			return nil, err
		case h2:
			continue
		}
		isNew := c.isNew()
		if err = c.begin(k); err == nil {
			if c.Reused() {
				cl.pools.stats.reused.Add(1)
			}
			return c, nil
		}
		hp.closeConn(c)
		switch {
		case isNew:
			return nil, err
		case c.Look:
			tries-- // one of the idle connections is used up, so that this comes to an end
		}
	}
	return nil, errNoUse
}

// maxBeginTries is how many connections a request tries that end before it begins, without having been idle, or that speak
// another version than expected.
const maxBeginTries = 100

var errNoUse = errors.New("http: the server closes its connections before a request")

// begin sends the request's head, and a body that is in memory, on a connection that hostPool.get has returned.
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
	if c.user != nil {
		c.user.Mark()
	}
	if err := c.Begin(k.Method, k.head, body, sends, k.Length < 0); err != nil {
		return err
	}
	if c.last = k.Close; c.last {
		c.Last()
	}
	c.trace = k.Trace
	return nil
}

// beginStream begins a request on a connection of HTTP/2.
func (cl *Client) beginStream(ctx context.Context, hp *hostPool, k *Call) (exchange, error) {
	s := cl.newStream()
	sends := k.streams()
	inPlace := !sends && len(k.Bytes) > 0
	s.readerSends = k.Tunnel && !sends && !inPlace
	if k.Expect > 0 && sends {
		s.Expect()
	}
	key := hp.key.h2()
	err := cl.pools.h2.Start(ctx, key, &s.Exchange, k.Head, sends || inPlace || s.readerSends, k.WaitContext)
	if err != nil {
		s.readerSends = false
		s.pool.Put(s)
		if err == h2client.ErrClosed {
			err = ErrClosed
		}
		return nil, err
	}
	c := s.Exchange.Conn()
	s.c.Store(c)
	if s.reused, s.readTimeout = c.Reused(), 0; s.reused {
		cl.pools.stats.reused.Add(1)
	}
	s.mayBeStale = s.reused || c.Warm()
	s.interimHeads, s.interimBytes, s.maxInterimBytes = 0, 0, int(cl.pools.cfg.HTTP2.Wire.MaxHeaderList)
	if k.Close {
		c.Close()
	}
	if inPlace {
		rest, err := s.SendNow(k.Bytes, true)
		if s.rest = nil; err != nil || len(rest) == 0 {
			s.leave() // if sending has failed, reading the response fails as well
		} else {
			s.rest = slices.Clone(rest) // k.Bytes may be used for something else before this has been sent
		}
	}
	return s, nil
}
