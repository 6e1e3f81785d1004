package main

import (
	"strings"
	"time"
)

// keepAlive sends many requests on one connection, one after the other.
func keepAlive(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	for range 100 {
		if c.ctx.Err() != nil {
			return nil
		}
		c.throttle(1)
		if err := c.exchange(c.small(), ""); err != nil {
			return c.allowClosing(err, false)
		}
	}
	return nil
}

// small returns a request with a small body or a small response.
func (c *caller) small() ask {
	what := []string{askBytes, askBytes, askStream, askTake, askTake}[c.rng.IntN(5)]
	return c.number(what, c.rng.Int64N(3000))
}

// churn opens a connection for each request. Half of the requests have a Connection: close.
func churn(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askBytes, c.rng.Int64N(3000))
	if a.number%2 == 0 {
		return c.allowClosing(c.exchange(a, ""), false)
	}
	return c.allowClosing(c.exchange(a, "Connection: close\r\n"), true)
}

// pipelined sends 16 requests at once and then reads their responses.
func pipelined(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	for range 10 {
		if c.ctx.Err() != nil {
			return nil
		}
		var batch []ask
		var text strings.Builder
		c.throttle(16)
		for range 16 {
			a := c.small()
			batch = append(batch, a)
			if a.what == askTake {
				text.WriteString(a.wire(a.number%2 == 0))
			} else {
				text.WriteString(a.head(""))
			}
		}
		if err := c.send(text.String()); err != nil {
			return err
		}
		for _, a := range batch {
			if err := c.response(a); err != nil {
				return c.allowClosing(err, false)
			}
		}
	}
	return nil
}

// parked uses ten connections now and then. The pauses are so long that the server parks the idle connections.
func parked(c *caller) error {
	var all []*caller
	defer func() {
		for _, one := range all {
			one.hangUp()
		}
	}()
	for range 10 {
		one := *c
		all = append(all, &one)
		if err := one.dial(); err != nil {
			return err
		}
	}
	for i := range 3 {
		if i > 1 && c.ctx.Err() != nil {
			return nil
		}
		c.throttle(len(all))
		for _, one := range all {
			if err := one.exchange(one.number(askBytes, c.rng.Int64N(500)), ""); err != nil {
				return c.allowClosing(err, false)
			}
		}
		if i == 0 && c.ctx.Err() != nil {
			return errLoadEnded // no parked connection has been used again yet
		}
		pause(c.ctx, idlePark+time.Duration(c.rng.Int64N(int64(2*idlePark))))
	}
	return nil
}

// slowResponse requests a response from a handler that sleeps for a while.
func slowResponse(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	return c.allowClosing(c.exchange(c.ask(askSleep, 50+c.rng.Int64N(300)), ""), false)
}
