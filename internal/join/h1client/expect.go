package h1client

import "time"

// Expect tells Proceed to wait because the request says "Expect: 100-continue" (RFC 9110 §10.1.1). It must be called
// before Begin.
func (c *Conn) Expect() {
	c.mu.Lock()
	c.proceed = make(chan struct{})
	c.mu.Unlock()
}

// endProceed ends the wait of Proceed. The caller must hold mu.
func (c *Conn) endProceed() {
	if c.proceed != nil {
		close(c.proceed)
		c.proceed = nil
	}
}

// Proceed is called by the sending goroutine. It waits until the server has asked for the body with 100 Continue, has sent
// its final response, sending has been stopped, wait has passed, or done is closed. Another goroutine must call Await
// meanwhile. wanted reports whether to send the body: false if a final response has arrived that ends the connection.
func (c *Conn) Proceed(wait time.Duration, done <-chan struct{}) (wanted bool) {
	c.mu.Lock()
	proceed := c.proceed
	c.mu.Unlock()
	if proceed != nil {
		waitFor(proceed, wait, done)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bodyWanted || !c.gotFinal || !c.last
}

// waitFor waits until one of the channels is closed or wait has passed.
func waitFor(proceed <-chan struct{}, wait time.Duration, done <-chan struct{}) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-proceed:
	case <-t.C:
	case <-done:
	}
}
