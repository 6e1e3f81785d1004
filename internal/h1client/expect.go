package h1client

import "time"

// Expect has Proceed wait: the request says "Expect: 100-continue" (RFC 9110 §10.1.1). It is called before Begin.
func (c *Conn) Expect() {
	c.mu.Lock()
	c.proceed = make(chan struct{})
	c.mu.Unlock()
}

// goOn ends Proceed's wait. c.mu is held.
func (c *Conn) goOn() {
	if c.proceed != nil {
		close(c.proceed)
		c.proceed = nil
	}
}

// Proceed waits, on the goroutine that sends, until the server has asked for the body with 100 Continue or answered
// otherwise, or sending has been ended, or wait is over, or done is closed. Somebody must Await meanwhile. wanted tells
// whether the body is to be sent: not if there is an answer behind which the connection ends.
func (c *Conn) Proceed(wait time.Duration, done <-chan struct{}) (wanted bool) {
	c.mu.Lock()
	proceed := c.proceed
	c.mu.Unlock()
	if proceed != nil {
		waitFor(proceed, wait, done)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked || !c.final || !c.last
}

// waitFor waits until either channel is closed, or wait is over.
func waitFor(proceed <-chan struct{}, wait time.Duration, done <-chan struct{}) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-proceed:
	case <-t.C:
	case <-done:
	}
}
