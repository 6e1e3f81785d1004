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
		c.turn(1)
		if err := c.exchange(c.small(), ""); err != nil {
			return c.settled(err, false)
		}
	}
	return nil
}

// small asks for, or brings, a few bytes.
func (c *caller) small() ask {
	what := []string{askBytes, askBytes, askStream, askTake, askTake}[c.dice.IntN(5)]
	return c.number(what, c.dice.Int64N(3000))
}

// churn opens a connection for each request. Half of them say so.
func churn(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askBytes, c.dice.Int64N(3000))
	if a.number%2 == 0 {
		return c.settled(c.exchange(a, ""), false)
	}
	return c.settled(c.exchange(a, "Connection: close\r\n"), true)
}

// pipelined sends batches of requests before it reads their answers.
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
		c.turn(16)
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
			if err := c.answer(a); err != nil {
				return c.settled(err, false)
			}
		}
	}
	return nil
}

// parked holds some connections on which it says something from time to time: after so long that the server has put
// them aside.
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
		c.turn(len(all))
		for _, one := range all {
			if err := one.exchange(one.number(askBytes, c.dice.Int64N(500)), ""); err != nil {
				return c.settled(err, false)
			}
		}
		if i == 0 && c.ctx.Err() != nil {
			return errOver // nobody was woken yet
		}
		pause(c.ctx, idlePark+time.Duration(c.dice.Int64N(int64(2*idlePark))))
	}
	return nil
}

// slowAnswer has a handler think for a while.
func slowAnswer(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	return c.settled(c.exchange(c.ask(askSleep, 50+c.dice.Int64N(300)), ""), false)
}
