// Package h2ask sends requests to HTTP/2 servers, one at a time on a connection, and compares every byte of the responses. It
// is the counterpart of package frame, which does this for HTTP/1.1: it checks that all peers give the same responses.
package h2ask

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	timeout = 10 * time.Second // the deadline of one exchange
	window  = 16 << 20         // the receive window: larger than any response
)

// Conn is a connection with one request at a time. It is not safe for concurrent use.
type Conn struct {
	nc     net.Conn
	scheme string
	framer *http2.Framer
	fields *hpack.Encoder
	block  bytes.Buffer // the encoder's output

	next              uint32 // the next stream's number
	sendWindow        int64  // the connection's send window, in bytes
	initialSendWindow int64  // the initial send window of a stream
	frameSize         int    // the largest frame payload that the server accepts
}

// Dial connects to addr and exchanges settings. Any certificate is accepted: the server is this program's own.
func Dial(addr string, withTLS bool) (*Conn, error) {
	d := &net.Dialer{Timeout: timeout}
	nc, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &Conn{nc: nc, scheme: "http", next: 1, sendWindow: 65_535, initialSendWindow: 65_535, frameSize: 16 << 10}
	if withTLS {
		c.scheme = "https"
		err = c.secure()
	}
	if err == nil {
		err = c.begin()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Conn) secure() error {
	t := tls.Client(c.nc, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{http2.NextProtoTLS}})
	c.nc = t
	t.SetDeadline(time.Now().Add(timeout))
	if err := t.Handshake(); err != nil {
		return err
	}
	if p := t.ConnectionState().NegotiatedProtocol; p != http2.NextProtoTLS {
		return fmt.Errorf("the server chose the protocol %q", p)
	}
	return nil
}

// begin sends the preface and enlarges the receive windows.
func (c *Conn) begin() error {
	c.nc.SetDeadline(time.Now().Add(timeout))
	c.fields = hpack.NewEncoder(&c.block)
	c.framer = http2.NewFramer(c.nc, c.nc)
	c.framer.SetReuseFrames()
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if _, err := c.nc.Write([]byte(http2.ClientPreface)); err != nil {
		return err
	}
	if err := c.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}); err != nil {
		return err
	}
	return c.framer.WriteWindowUpdate(0, window)
}

// Close closes the connection.
func (c *Conn) Close() error { return c.nc.Close() }

// Reply is a response.
type Reply struct {
	Header  Fields // with ":status"
	Body    []byte
	Trailer Fields
}

// Fields are field values by name, in lower case as they are sent.
type Fields map[string][]string

// Ask sends a request and returns the complete response. fields are alternating names and values.
func (c *Conn) Ask(method, path string, fields []string, body []byte) (*Reply, error) {
	c.nc.SetDeadline(time.Now().Add(timeout))
	x := &exchange{Conn: c, id: c.next, sendWindow: c.initialSendWindow, reply: new(Reply)}
	c.next += 2
	if err := c.head(x.id, method, path, fields, len(body)); err != nil {
		return nil, err
	}
	if err := x.send(body); err != nil {
		return nil, err
	}
	for !x.over {
		if err := x.readFrame(); err != nil {
			return nil, err
		}
	}
	if n := uint32(len(x.reply.Body)); n > 0 {
		return x.reply, c.framer.WriteWindowUpdate(0, n)
	}
	return x.reply, nil
}

func (c *Conn) head(id uint32, method, path string, fields []string, length int) error {
	c.block.Reset()
	all := append([]string{":method", method, ":scheme", c.scheme, ":authority", "bench", ":path", path}, fields...)
	if length > 0 {
		all = append(all, "content-length", fmt.Sprint(length))
	}
	for i := 0; i+1 < len(all); i += 2 {
		if err := c.fields.WriteField(hpack.HeaderField{Name: all[i], Value: all[i+1]}); err != nil {
			return err
		}
	}
	return c.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: id, BlockFragment: c.block.Bytes(), EndHeaders: true, EndStream: length == 0,
	})
}

// errEnded means that the server ended the stream before the request was complete.
var errEnded = errors.New("the server answered before it had the whole request")
