package main

import (
	"bufio"
	"fmt"
	"io"
)

// events reads an event stream for a while and closes the connection. At a shutdown the handler ends the stream after a
// complete event.
func events(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askEvents, 0)
	if err := c.send(a.head("Accept: text/event-stream\r\n")); err != nil {
		return err
	}
	res, err := c.readHead(a)
	if err != nil {
		return err
	}
	stream := bufio.NewReader(res.Body)
	for i := range 5 + c.rng.IntN(100) {
		if c.ctx.Err() != nil {
			break
		}
		err := c.nextEvent(stream, fmt.Sprintf("data: %d of %d\n", i, a.number))
		if err == io.EOF && i > 0 && c.load.shutting.Load() {
			break
		}
		if err != nil {
			return err
		}
	}
	if c.rng.IntN(2) == 0 {
		c.reset()
	}
	c.load.tally.respond(a.number)
	return nil
}

// nextEvent reads an event and compares it with text. It returns io.EOF if the stream ends before the event begins.
func (c *caller) nextEvent(stream *bufio.Reader, text string) error {
	for _, want := range []string{text, "\n"} {
		got, err := stream.ReadString('\n')
		if err == io.EOF && got == "" && want == text {
			return io.EOF
		}
		if err != nil || got != want {
			return fmt.Errorf("event %q and %v, want %q", got, err, want)
		}
	}
	return nil
}
