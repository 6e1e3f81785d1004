package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"time"
)

// slowHead sends a head byte by byte.
func slowHead(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	a := c.ask(askBytes, 100)
	began := time.Now()
	err := c.sendSlowly(a.head(""))
	took := time.Since(began)
	if err == nil {
		err = c.settled(c.answer(a), false)
	}
	if err != nil && took > headerTimeout/2 {
		c.load.tally.due() // this machine is so busy that the head was too slow
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
	return c.settled(c.answer(a), false)
}

// slowly pauses before each write or read.
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

// slowReader takes a large answer slowly, through a small window: the server must wait for it.
func slowReader(c *caller) error {
	c.rest()
	if err := c.dial(); err != nil {
		return err
	}
	transport(c.nc).SetReadBuffer(64 << 10)
	c.in = bufio.NewReaderSize(slowly{c.nc, 2 * time.Millisecond}, 32<<10)
	what := askBytes
	if c.dice.IntN(2) == 0 {
		what = askStream
	}
	return c.settled(c.exchange(c.ask(what, 4<<20), ""), false)
}

// stalledHead begins a head and says no more: the server must leave, after a 408, or without a word as net/http's does.
func stalledHead(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	text := c.ask(askBytes, 1).head("")
	if err := c.send(text[:len(text)/2]); err != nil {
		return err
	}
	return c.dismissed(c.target.Face != faceNetHTTP)
}

// stalledBody begins a body and says no more: the server must not wait for the rest for ever.
func stalledBody(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	text := c.ask(askTake, 2000).wire(false)
	if err := c.send(text[:len(text)-1000]); err != nil {
		return err
	}
	return c.dismissed(true)
}

// forgotten asks once and then keeps the connection without a word: the server must close it, in silence.
func forgotten(c *caller) error {
	if err := c.dial(); err != nil {
		return err
	}
	if err := c.exchange(c.ask(askBytes, 10), ""); err != nil {
		return c.settled(err, false)
	}
	return c.dismissed(false)
}

// dismissed waits until the server gives this client up: with a status that says why, or in silence.
func (c *caller) dismissed(told bool) error {
	nc := c.nc
	defer c.endWaits(nc)()
	text, err := io.ReadAll(c.in)
	if c.ctx.Err() != nil {
		return errOver
	}
	if err != nil {
		return err
	}
	if told && !startsWithStatus(text, '4') {
		return errors.New("given up without a word why: " + string(text))
	}
	if !told && len(text) > 0 {
		return errors.New("told something, where silence was due: " + string(text))
	}
	c.load.tally.due()
	return nil
}

// endWaits has the end of the load end a wait on nc. The caller calls what it returns.
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

// startsWithStatus reports whether text begins as an answer of the class of status that digit says.
func startsWithStatus(text []byte, digit byte) bool {
	const line = "HTTP/1.1 "
	return len(text) > len(line) && string(text[:len(line)]) == line && text[len(line)] == digit
}
