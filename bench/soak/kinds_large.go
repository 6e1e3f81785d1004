package main

import "time"

// The range of the sizes of large request and response bodies.
const smallestLarge, largest = 1 << 20, 20 << 20

func (c *caller) largeSize() int64 { return smallestLarge + c.rng.Int64N(largest-smallestLarge) }

// pauseLarge pauses before a large body, because a few of them cost as much as thousands of small requests. It does not pause
// in the shutdown rounds.
func (c *caller) pauseLarge() {
	if !c.load.closing {
		pause(c.ctx, time.Second+time.Duration(c.rng.Int64N(int64(time.Second))))
	}
}

// download reads a large response, with a Content-Length or in chunks.
func download(c *caller) error {
	c.pauseLarge()
	if err := c.dial(); err != nil {
		return err
	}
	what := askBytes
	if c.rng.IntN(2) == 0 {
		what = askStream
	}
	return c.allowClosing(c.exchange(c.ask(what, c.largeSize()), ""), false)
}

// upload sends a large body, with a Content-Length or in chunks.
func upload(c *caller) error {
	c.pauseLarge()
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askTake, c.largeSize())
	if err := a.writeTo(c.nc, c.rng.IntN(2) == 0, 40_000); err != nil {
		return c.lost(err)
	}
	return c.allowClosing(c.response(a), false)
}
