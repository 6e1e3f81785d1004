// Package h3ask sends requests to HTTP/3 servers, one at a time on a connection, and compares every byte of the responses. It is
// the counterpart of package h2ask. The client is quic-go's, so that a mistake of our HTTP/3 is not made on both sides.
package h3ask

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/h2ask"
)

const (
	timeout  = 10 * time.Second // the deadline of a handshake, and of one exchange
	keepIdle = time.Hour        // longer than any measurement
)

// Conn is a connection with one request at a time. It is not safe for concurrent use.
type Conn struct {
	addr   string
	client *http3.ClientConn
}

// Dial connects to addr, from a socket of its own, with a full handshake. Any certificate is accepted: the server is this
// program's own.
func Dial(addr string) (*Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c, err := quic.DialAddr(ctx, addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{http3.NextProtoH3}},
		&quic.Config{HandshakeIdleTimeout: timeout, MaxIdleTimeout: keepIdle})
	if err != nil {
		return nil, err
	}
	t := &http3.Transport{DisableCompression: true}
	return &Conn{addr, t.NewClientConn(c)}, nil
}

// Close closes the connection and its socket.
func (c *Conn) Close() error {
	return c.client.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
}

// Do does the exchange and returns an error that says how the response differs from the expected one. It ignores x.Close.
func (c *Conn) Do(x *frame.Exchange) error {
	got, err := c.ask(x)
	if err != nil {
		return fmt.Errorf("%s %s: %w", x.Method, x.Path, err)
	}
	return h2ask.Check(x, got)
}

// ask sends a request and returns the complete response.
func (c *Conn) ask(x *frame.Exchange) (*h2ask.Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, x.Method, "https://"+c.addr+x.Path, bytes.NewReader(x.Body))
	if err != nil {
		return nil, err
	}
	for _, line := range x.Fields {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := c.client.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	got := &h2ask.Reply{Header: h2ask.Fields{":status": {strconv.Itoa(resp.StatusCode)}}}
	for name, values := range resp.Header {
		got.Header[strings.ToLower(name)] = values
	}
	got.Body, err = io.ReadAll(resp.Body)
	return got, err
}

// Once does the exchange on a new connection.
func Once(addr string, x *frame.Exchange) error {
	c, err := Dial(addr)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Do(x)
}
