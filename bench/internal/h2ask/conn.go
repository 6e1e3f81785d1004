// Package h2ask asks HTTP/2 servers one thing after the other on a connection, and looks at every byte of what they
// answer. It is what frame is for HTTP/1.1: all that are measured are held to the same answers.
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
	patience = 10 * time.Second // bounds one exchange
	window   = 16 << 20         // of what is received: more than any answer
)

// Conn is a connection that asks one thing after the other. Its methods are for one goroutine.
type Conn struct {
	nc     net.Conn
	scheme string
	framer *http2.Framer
	fields *hpack.Encoder
	block  bytes.Buffer // that fields writes to

	next        uint32 // the next stream's number
	room        int64  // what the server takes on the connection
	initialRoom int64  // on a new stream
	frameSize   int    // the longest frame that it takes
}

// Dial connects to addr and exchanges settings. Any certificate is accepted: the server is this program's own.
func Dial(addr string, withTLS bool) (*Conn, error) {
	d := &net.Dialer{Timeout: patience}
	nc, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &Conn{nc: nc, scheme: "http", next: 1, room: 65_535, initialRoom: 65_535, frameSize: 16 << 10}
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
	t.SetDeadline(time.Now().Add(patience))
	if err := t.Handshake(); err != nil {
		return err
	}
	if p := t.ConnectionState().NegotiatedProtocol; p != http2.NextProtoTLS {
		return fmt.Errorf("the server chose the protocol %q", p)
	}
	return nil
}

// begin sends the preface and opens the windows.
func (c *Conn) begin() error {
	c.nc.SetDeadline(time.Now().Add(patience))
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

// Close ends the connection.
func (c *Conn) Close() error { return c.nc.Close() }

// Reply is an answer.
type Reply struct {
	Header  Fields // with ":status"
	Body    []byte
	Trailer Fields
}

// Fields are values by the names as they were sent, in lower case.
type Fields map[string][]string

// Ask sends a request and returns the answer, read to its end. fields are names and values in turn.
func (c *Conn) Ask(method, path string, fields []string, body []byte) (*Reply, error) {
	c.nc.SetDeadline(time.Now().Add(patience))
	x := &exchange{Conn: c, id: c.next, room: c.initialRoom, reply: new(Reply)}
	c.next += 2
	if err := c.head(x.id, method, path, fields, len(body)); err != nil {
		return nil, err
	}
	if err := x.send(body); err != nil {
		return nil, err
	}
	for !x.over {
		if err := x.hear(); err != nil {
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

// errEnded is a stream that the server has ended before the request was there.
var errEnded = errors.New("the server answered before it had the whole request")
