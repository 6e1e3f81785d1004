package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"time"
)

// slowHead sends a request head byte by byte.
func slowHead(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askBytes, 100)
	began := time.Now()
	err := c.sendSlowly(a.head(""))
	took := time.Since(began)
	if err == nil {
		err = c.allowClosing(c.response(a), false)
	}
	if err != nil && took > headerTimeout/2 {
		c.load.tally.expect() // the machine is so busy that the head may have reached the header timeout
		return nil
	}
	return err
}

// sendSlowly sends text byte by byte.
func (c *caller) sendSlowly(text string) error {
	for _, b := range []byte(text) {
		if err := c.send(string(b)); err != nil {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}

// slowBody sends a body in small pieces.
func slowBody(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askTake, 30_000)
	if err := a.writeTo(slowly{c.nc, 5 * time.Millisecond}, a.number%2 == 0, 500); err != nil {
		return c.lost(err)
	}
	return c.allowClosing(c.response(a), false)
}

// slowly is a connection that pauses before each read and write.
type slowly struct {
	nc    net.Conn
	pause time.Duration
}

func (s slowly) Write(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.nc.Write(p)
}

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.nc.Read(p)
}

// slowReader reads a large response slowly through a small receive buffer, so that the server has to wait for it.
func slowReader(c *caller) error {
	c.pauseLarge()
	if err := c.dial(); err != nil {
		return err
	}
	transport(c.nc).SetReadBuffer(64 << 10)
	c.in = bufio.NewReaderSize(slowly{c.nc, 2 * time.Millisecond}, 32<<10)
	what := askBytes
	if c.rng.IntN(2) == 0 {
		what = askStream
	}
	return c.allowClosing(c.exchange(c.ask(what, 4<<20), ""), false)
}

// stalledHead sends half a request head and then nothing. The server must close the connection: with a 408, or silently
// where it follows net/http.
func stalledHead(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	text := c.ask(askBytes, 1).head("")
	if err := c.send(text[:len(text)/2]); err != nil {
		return err
	}
	return c.expectClose(c.target.Face != faceNetHTTP)
}

// stalledBody sends half a body and then nothing. The server must refuse the request and close the connection.
func stalledBody(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	text := c.ask(askTake, 2000).wire(false)
	if err := c.send(text[:len(text)-1000]); err != nil {
		return err
	}
	return c.expectClose(true)
}

// forgotten sends one request and then leaves the connection idle. The server must close it without sending anything.
func forgotten(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	if err := c.exchange(c.ask(askBytes, 10), ""); err != nil {
		return c.allowClosing(err, false)
	}
	return c.expectClose(false)
}

// expectClose waits until the server closes the connection. If told is set, the server must send a 4xx response first,
// otherwise nothing.
func (c *caller) expectClose(told bool) error {
	if !c.load.complete || c.load.tally.succeeded(c.kind) {
		defer c.endWaits(c.nc)()
	}
	text, err := io.ReadAll(c.in)
	switch {
	case err != nil && c.ctx.Err() != nil:
		return errLoadEnded
	case err != nil:
		return err
	}
	if told && !startsWithStatus(text, '4') {
		return errors.New("closed without a reason: " + string(text))
	}
	if !told && len(text) > 0 {
		return errors.New("unexpected response: " + string(text))
	}
	c.load.tally.expect()
	return nil
}

// endWaits makes reads and writes on nc fail when the load ends. The caller must call the returned function when it has
// finished waiting.
func (c *caller) endWaits(nc net.Conn) func() {
	ended := make(chan struct{})
	go func() {
		select {
		case <-c.ctx.Done():
			nc.SetDeadline(time.Unix(1, 0))
		case <-ended:
		}
	}()
	return func() { close(ended) }
}

// startsWithStatus reports whether text begins with a status line whose status has this first digit.
func startsWithStatus(text []byte, digit byte) bool {
	const line = "HTTP/1.1 "
	return len(text) > len(line) && string(text[:len(line)]) == line && text[len(line)] == digit
}
