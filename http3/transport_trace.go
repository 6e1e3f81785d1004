package http3

import (
	"net/http/httptrace"
)

// These methods report the progress of a request to its httptrace.

func (c *clientCall) traceGet() {
	if t := c.trace; t != nil && t.GetConn != nil {
		t.GetConn(c.addr)
	}
}

func (c *clientCall) traceGot(k *clientConn, reused bool) {
	if t := c.trace; t != nil && t.GotConn != nil {
		t.GotConn(httptrace.GotConnInfo{Conn: &netConn{k}, Reused: reused, WasIdle: reused})
	}
}

// traceHead reports the head that has been sent, field by field.
func (c *clientCall) traceHead() {
	t := c.trace
	if t == nil {
		return
	}
	if wrote := t.WroteHeaderField; wrote != nil {
		c.eachField(func(name, value string) { wrote(name, []string{value}) })
	}
	if t.WroteHeaders != nil {
		t.WroteHeaders()
	}
}

func (c *clientCall) traceSent(err error) {
	if t := c.trace; t != nil && t.WroteRequest != nil {
		t.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
}

func (c *clientCall) traceExpects() {
	if t := c.trace; t != nil && t.Wait100Continue != nil {
		t.Wait100Continue()
	}
}

// traceFirstByte reports the first head that has come.
func (c *clientCall) traceFirstByte() {
	if t := c.trace; t != nil && t.GotFirstResponseByte != nil && !c.gotByte {
		c.gotByte = true
		t.GotFirstResponseByte()
	}
}
