package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// cutHead leaves in the middle of a head.
func cutHead(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	text := c.ask(askBytes, 1).head("")
	if err := c.send(text[:1+c.dice.IntN(len(text)-2)]); err != nil {
		return err
	}
	c.load.tally.due()
	return nil
}

// cutBody leaves in the middle of a body, or only stops to send there and waits for what the server says.
func cutBody(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askTake, 5000)
	text := a.wire(a.number%2 == 0)
	if err := c.send(text[:len(text)-1-c.dice.IntN(4000)]); err != nil {
		return err
	}
	if c.dice.IntN(2) == 0 {
		c.load.tally.due()
		return nil
	}
	if err := c.closeWrite(); err != nil {
		return err
	}
	return c.refused(a)
}

// badChunk sends a chunk that is none.
func badChunk(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askTake, 50)
	bad := []string{"5\r\nlonger than five\r\n0\r\n\r\n", "no size\r\n\r\n", "-5\r\nhello\r\n", "ffffffffffffffffff\r\n"}
	if err := c.send(a.head("Transfer-Encoding: chunked\r\n") + bad[c.dice.IntN(len(bad))]); err != nil {
		return err
	}
	return c.refused(a)
}

// refused reads the answer to a request that must not succeed, and the end of the connection.
func (c *caller) refused(a ask) error {
	res, err := c.readHead(a)
	if err != nil {
		return fmt.Errorf("instead of a refusal: %w", err)
	}
	if res.StatusCode < 400 || res.StatusCode > 499 {
		return fmt.Errorf("a broken request %d was answered %s", a.number, res.Status)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, c.in); err != nil || n > 0 {
		return fmt.Errorf("after a refusal: %d bytes, %v", n, err)
	}
	c.load.tally.due()
	return nil
}

// resets breaks off with a reset: after a part of a head, within a body, within an answer.
func resets(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	var text string
	switch c.dice.IntN(3) {
	case 0:
		text = c.ask(askBytes, 10).head("")[:30]
	case 1:
		text = c.ask(askTake, 9000).wire(c.dice.IntN(2) == 0)[:5000]
	case 2:
		c.turn(4)
		text = c.number(askStream, 2<<20).head("")
	}
	if err := c.send(text); err != nil {
		return err
	}
	if strings.HasPrefix(text, "GET /stream") {
		if _, err := io.CopyN(io.Discard, c.in, 1000+c.dice.Int64N(100_000)); err != nil {
			return err
		}
	}
	c.reset()
	c.load.tally.due()
	return nil
}

// garbage sends what is no HTTP, and to a TLS port what is no TLS.
func garbage(c *caller) error {
	c.turn(1)
	nc, err := net.DialTimeout("tcp", c.target.Addr, patience)
	if err != nil {
		return err
	}
	c.use(nc)
	text := "\x00\x01\x02 garbage \xff\xfe\r\n\r\n"
	if c.dice.IntN(2) == 0 {
		text = "GET no-target HTTP/1.1\r\nHost: x\r\n\r\n"
	}
	if err := c.send(text); err != nil {
		return err
	}
	answer, err := io.ReadAll(c.in)
	switch {
	case err != nil:
		return fmt.Errorf("instead of a refusal: %w", err)
	case !c.target.TLS && !startsWithStatus(answer, '4'):
		return fmt.Errorf("garbage was answered %.200q", answer)
	case c.target.TLS && startsWithStatus(answer, '2'):
		return fmt.Errorf("cleartext on a TLS port was answered %.200q", answer)
	}
	c.load.tally.due()
	return nil
}

// halfClose says that it will send no more, and still gets its answer.
func halfClose(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askBytes, c.dice.Int64N(100_000))
	if err := c.send(a.head("")); err != nil {
		return err
	}
	if err := c.closeWrite(); err != nil {
		return err
	}
	if err := c.answer(a); err != nil && err != errClosing {
		return err
	}
	if n, err := io.Copy(io.Discard, c.in); err != nil || n > 0 {
		return fmt.Errorf("after the last answer: %d bytes, %v", n, err)
	}
	return nil
}

// panics asks for a handler that fails: the connection must end, without an answer that looks whole.
func panics(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askPanic, 0)
	if err := c.send(a.head("")); err != nil {
		return err
	}
	res, err := c.readHead(a)
	if err == nil {
		if _, err = io.Copy(io.Discard, res.Body); err == nil {
			return errors.New("a handler that panicked has answered: " + res.Status)
		}
	}
	c.load.tally.due()
	return nil
}
