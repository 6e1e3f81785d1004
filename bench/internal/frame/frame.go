// Package frame checks over HTTP/1.1 that all peers give the same responses, because figures of servers that do different work
// cannot be compared.
package frame

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Exchange is one request and its expected response.
type Exchange struct {
	Method, Path string
	Fields       []string // "Name: value", in addition to Host and Content-Length
	Body         []byte

	ContentType string
	Response    []byte
	Close       bool // the server closes the connection after the response
}

// timeout is the deadline of one exchange.
const timeout = 10 * time.Second

// Conn is a connection with one request at a time. It is not safe for concurrent use.
type Conn struct {
	nc net.Conn
	br *bufio.Reader
}

// Dial connects to addr. Any certificate is accepted: the server is this program's own.
func Dial(addr string, withTLS bool) (*Conn, error) {
	d := &net.Dialer{Timeout: timeout}
	nc, err := d.Dial("tcp", addr)
	if err == nil && withTLS {
		t := tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
		t.SetDeadline(time.Now().Add(timeout))
		if err = t.Handshake(); err != nil {
			nc.Close()
		}
		nc = t
	}
	if err != nil {
		return nil, err
	}
	return &Conn{nc, bufio.NewReaderSize(nc, 512)}, nil
}

// Close closes the connection.
func (c *Conn) Close() error { return c.nc.Close() }

// Do does the exchange and returns an error that says how the response differs from the expected one.
func (c *Conn) Do(x *Exchange) error {
	c.nc.SetDeadline(time.Now().Add(timeout))
	if _, err := c.nc.Write(x.Request()); err != nil {
		return err
	}
	resp, err := http.ReadResponse(c.br, &http.Request{Method: x.Method})
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return x.check(resp, body)
}

// Request returns the bytes of the request.
func (x *Exchange) Request() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: bench\r\n", x.Method, x.Path)
	for _, line := range x.Fields {
		b.WriteString(line + "\r\n")
	}
	if x.Method == http.MethodPost {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(x.Body))
	}
	b.WriteString("\r\n")
	b.Write(x.Body)
	return b.Bytes()
}

func (x *Exchange) check(resp *http.Response, body []byte) error {
	var wrong []string
	differ := func(what string, got, want any) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", what, got, want))
		}
	}
	differ("the status", resp.StatusCode, http.StatusOK)
	differ("Content-Type", resp.Header.Get("Content-Type"), x.ContentType)
	differ("Content-Length", resp.ContentLength, int64(len(x.Response)))
	differ("the end of the connection after it", resp.Close, x.Close)
	_, noDate := http.ParseTime(resp.Header.Get("Date"))
	differ("a valid Date", noDate == nil, true)
	differ("the body as it must be", bytes.Equal(body, x.Response), true)
	if len(wrong) > 0 {
		return fmt.Errorf("%s %s: %s", x.Method, x.Path, strings.Join(wrong, "; "))
	}
	return nil
}

// Once does the exchange on a new connection.
func (x *Exchange) Once(addr string, withTLS bool) error {
	c, err := Dial(addr, withTLS)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Do(x)
}
