package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// unanswered is the error of a connection that ended before the first byte of a response.
type unanswered struct{ error }

func isUnanswered(err error) bool {
	_, ok := errors.AsType[unanswered](err)
	return ok
}

// errClosing is returned with a correct response after which the server closes the connection.
var errClosing = errors.New("this response is the connection's last")

// ask waits until the rate limit allows another request, and returns it. Each 64 KiB of a large body count as one more.
func (c *caller) ask(what string, size int64) ask {
	cost := 1
	if what == askBytes || what == askStream || what == askTake {
		cost += int(size >> 16)
	}
	c.throttle(cost)
	return c.number(what, size)
}

// throttle waits until the rate limit allows n requests.
func (c *caller) throttle(n int) { c.load.limiter.wait(c.ctx, n) }

// number returns a request with a new number. The caller has already waited for the rate limit.
func (c *caller) number(what string, size int64) ask { return ask{what, c.load.numbers.Add(1), size} }

// head returns the head of the request; lines are additional fields.
func (a ask) head(lines string) string {
	method := "GET"
	if a.what == askTake {
		method = "POST"
	}
	return method + " " + a.target() + " HTTP/1.1\r\n" +
		"Host: soak.test\r\nUser-Agent: soak\r\nAccept: */*\r\n" + lines + "\r\n"
}

// send sends text.
func (c *caller) send(text string) error {
	c.idle = time.Since(c.spoke)
	c.touch()
	if _, err := io.WriteString(c.nc, text); err != nil {
		return c.lost(err)
	}
	return nil
}

// lost returns the error to report when the connection fails before the first byte of a response.
func (c *caller) lost(err error) error {
	if c.idle > idleTimeout/2 {
		c.load.tally.expect() // the server may have closed the idle connection while the request was on its way
		return errLoadEnded
	}
	return unanswered{fmt.Errorf("%w, %v after %v of silence", err, time.Since(c.spoke), c.idle)}
}

// response reads the response to a and checks its status, number, length and every byte of its body.
func (c *caller) response(a ask) error {
	res, err := c.readHead(a)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		return fmt.Errorf("request %d got the response %s: %q", a.number, res.Status, text)
	}
	body := patternOf(a.number, 0)
	if a.what == askBytes || a.what == askStream {
		body.left = a.size
	}
	if _, err := io.Copy(body, res.Body); err != nil {
		return fmt.Errorf("the response to request %d: %w", a.number, err)
	}
	if err := body.whole(); err != nil {
		return fmt.Errorf("the response to request %d: %w", a.number, err)
	}
	c.load.tally.respond(a.number)
	c.touch()
	if res.Close {
		return errClosing
	}
	return nil
}

// readHead reads the head of the response to a. Unless the status is an error, the head must carry the request's number.
func (c *caller) readHead(a ask) (*http.Response, error) {
	if _, err := c.in.Peek(1); err != nil {
		return nil, c.lost(err)
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, fmt.Errorf("the head of the response to request %d: %w", a.number, err)
	}
	if got := res.Header.Get("X-Number"); res.StatusCode < 400 && got != strconv.FormatUint(a.number, 10) {
		return nil, fmt.Errorf("the response to request %d has number %q", a.number, got)
	}
	return res, nil
}

// exchange sends a request without a body, or with all of its body at once, and reads the response.
func (c *caller) exchange(a ask, lines string) error {
	text := a.head(lines)
	if a.what == askTake {
		text = a.wire(a.number%2 == 0)
	}
	if err := c.send(text); err != nil {
		return err
	}
	return c.response(a)
}

// allowClosing returns the error of an episode that ended with err. errClosing is no error if the client asked the server to
// close the connection or if the servers are shutting down.
func (c *caller) allowClosing(err error, asked bool) error {
	if err == errClosing && (asked || c.load.shutting.Load()) {
		return nil
	}
	return err
}
