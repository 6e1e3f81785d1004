package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// cutHead closes the connection in the middle of a request head.
func cutHead(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	text := c.ask(askBytes, 1).head("")
	if err := c.send(text[:1+c.rng.IntN(len(text)-2)]); err != nil {
		return err
	}
	c.load.tally.expect()
	return nil
}

// cutBody stops in the middle of a body. It closes the connection there, or closes only its half and reads the server's
// response.
func cutBody(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askTake, 5000)
	text := a.wire(a.number%2 == 0)
	if err := c.send(text[:len(text)-1-c.rng.IntN(4000)]); err != nil {
		return err
	}
	if c.rng.IntN(2) == 0 {
		c.load.tally.expect()
		return nil
	}
	if err := c.closeWrite(); err != nil {
		return err
	}
	return c.refused(a)
}

// badChunk sends an invalid chunk.
func badChunk(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askTake, 50)
	bad := []string{"5\r\nlonger than five\r\n0\r\n\r\n", "no size\r\n\r\n", "-5\r\nhello\r\n", "ffffffffffffffffff\r\n"}
	if err := c.send(a.head("Transfer-Encoding: chunked\r\n") + bad[c.rng.IntN(len(bad))]); err != nil {
		return err
	}
	return c.refused(a)
}

// refused reads the response to a request that must fail with a 4xx status, and the end of the connection.
func (c *caller) refused(a ask) error {
	res, err := c.readHead(a)
	if err != nil {
		return fmt.Errorf("instead of a refusal: %w", err)
	}
	if res.StatusCode < 400 || res.StatusCode > 499 {
		return fmt.Errorf("a broken request %d got the response %s", a.number, res.Status)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, c.in); err != nil || n > 0 {
		return fmt.Errorf("after a refusal: %d bytes, %v", n, err)
	}
	c.load.tally.expect()
	return nil
}

// resets resets the connection in the middle of a request head, a request body or a response.
func resets(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	var text string
	switch c.rng.IntN(3) {
	case 0:
		text = c.ask(askBytes, 10).head("")[:30]
	case 1:
		text = c.ask(askTake, 9000).wire(c.rng.IntN(2) == 0)[:5000]
	case 2:
		c.throttle(4)
		text = c.number(askStream, 2<<20).head("")
	}
	if err := c.send(text); err != nil {
		return err
	}
	if strings.HasPrefix(text, "GET /stream") {
		if _, err := io.CopyN(io.Discard, c.in, 1000+c.rng.Int64N(100_000)); err != nil {
			return err
		}
	}
	c.reset()
	c.load.tally.expect()
	return nil
}

// garbage sends bytes that are not HTTP, or an invalid request. It never uses TLS: at a TLS port the bytes are not TLS
// either.
func garbage(c *caller) error {
	c.throttle(1)
	nc, err := net.DialTimeout("tcp", c.target.Addr, ioTimeout)
	if err != nil {
		return err
	}
	c.use(nc)
	text := "\x00\x01\x02 garbage \xff\xfe\r\n\r\n"
	if c.rng.IntN(2) == 0 {
		text = "GET no-target HTTP/1.1\r\nHost: x\r\n\r\n"
	}
	if err := c.send(text); err != nil {
		return err
	}
	response, err := io.ReadAll(c.in)
	switch {
	case err != nil:
		return fmt.Errorf("instead of a refusal: %w", err)
	case !c.target.TLS && !startsWithStatus(response, '4'):
		return fmt.Errorf("garbage got the response %.200q", response)
	case c.target.TLS && startsWithStatus(response, '2'):
		return fmt.Errorf("cleartext on a TLS port got the response %.200q", response)
	}
	c.load.tally.expect()
	return nil
}

// halfClose closes its half of the connection after the request and must still get the response.
func halfClose(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askBytes, c.rng.Int64N(100_000))
	if err := c.send(a.head("")); err != nil {
		return err
	}
	if err := c.closeWrite(); err != nil {
		return err
	}
	if err := c.response(a); err != nil && err != errClosing {
		return err
	}
	if n, err := io.Copy(io.Discard, c.in); err != nil || n > 0 {
		return fmt.Errorf("after the last response: %d bytes, %v", n, err)
	}
	return nil
}

// panics makes the handler panic: the connection must end without a complete response.
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
			return errors.New("response of a handler that panicked: " + res.Status)
		}
	}
	c.load.tally.expect()
	return nil
}
