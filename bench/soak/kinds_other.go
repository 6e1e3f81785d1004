package main

import (
	"fmt"
	"net/http"
	"time"
)

// impatient closes or resets the connection while the handler sleeps.
func impatient(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	if err := c.send(c.ask(askSleep, 10_000).head("")); err != nil {
		return err
	}
	c.nc.SetReadDeadline(time.Now().Add(time.Duration(20+c.rng.IntN(200)) * time.Millisecond))
	if n, err := c.in.Read(make([]byte, 1)); n > 0 || !isTimeout(err) {
		return fmt.Errorf("something came early: %d bytes, %v", n, err)
	}
	if c.rng.IntN(2) == 0 {
		c.reset()
	}
	c.load.tally.expect()
	return nil
}

func isTimeout(err error) bool {
	ne, ok := err.(interface{ Timeout() bool })
	return ok && ne.Timeout()
}

// hijacker makes the handler hijack the connection and echo lines. Half of the requests ask for an upgrade, which the
// server handles outside its fast path. Half of them already carry the first line.
func hijacker(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askHijack, 0)
	text := a.head("")
	if c.rng.IntN(2) == 0 {
		text = a.head("Connection: Upgrade\r\nUpgrade: lines\r\n")
	}
	early := ""
	if c.rng.IntN(2) == 0 {
		early = "ahead\n"
	}
	if err := c.send(text + early); err != nil {
		return err
	}
	res, err := c.readHead(a)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("a hijacker got the response %s", res.Status)
	}
	if early != "" {
		if err := c.expectLine(early); err != nil {
			return err
		}
	}
	for i := range 5 {
		line := fmt.Sprintf("line %d of %d\n", i, a.number)
		c.throttle(1)
		if err := c.send(line); err != nil {
			return err
		}
		if err := c.expectLine(line); err != nil {
			return err
		}
	}
	c.load.tally.respond(a.number)
	return nil
}

func (c *caller) expectLine(want string) error {
	got, err := c.in.ReadString('\n')
	if err != nil || got != want {
		return fmt.Errorf("line %q and %v, want %q", got, err, want)
	}
	return nil
}
