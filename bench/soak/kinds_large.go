package main

import "time"

// largest bounds the bodies of large requests and answers.
const smallestLarge, largest = 1 << 20, 20 << 20

func (c *caller) largeSize() int64 { return smallestLarge + c.dice.Int64N(largest-smallestLarge) }

// rest leaves the machine to others for a while: a few large bodies cost as much as thousands of requests.
func (c *caller) rest() {
	if !c.load.closing {
		pause(c.ctx, time.Second+time.Duration(c.dice.Int64N(int64(time.Second))))
	}
}

// download takes a large answer, by length or in chunks.
func download(c *caller) error {
	c.rest()
	if err := c.dial(); err != nil {
		return err
	}
	what := askBytes
	if c.dice.IntN(2) == 0 {
		what = askStream
	}
	return c.settled(c.exchange(c.ask(what, c.largeSize()), ""), false)
}

// upload brings a large body, by length or in chunks.
func upload(c *caller) error {
	c.rest()
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askTake, c.largeSize())
	if err := a.writeTo(c.nc, c.dice.IntN(2) == 0, 40_000); err != nil {
		return c.lost(err)
	}
	return c.settled(c.answer(a), false)
}
