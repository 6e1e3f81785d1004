// Package wsload makes message load that shockwave bench does not support: broadcasts, the same compressed JSON for every
// peer, and idle connections. It compares every received byte. Messages are WebSocket messages, or are preceded by their
// lengths on bare connections.
package wsload

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// timeout is the deadline of a handshake and of one exchange.
const timeout = 30 * time.Second

// The key of RFC 6455 §1.3 and its response. A fixed key is good enough for a measurement.
const (
	key    = "dGhlIHNhbXBsZSBub25jZQ=="
	accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
)

// offer is the compression that clients offer: without context takeover in both directions.
const offer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

// Conn is a client's connection. Its methods are for one goroutine at a time.
type Conn struct {
	nc   net.Conn
	bare bool   // not a WebSocket: messages are preceded by their lengths
	in   []byte // the part of buf with received bytes that are not consumed yet
	buf  []byte // the receive buffer
}

// Dial connects to addr and opens a WebSocket on path, with compression if deflate is set.
func Dial(addr, path string, deflate bool) (*Conn, error) {
	nc, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		return nil, err
	}
	nc.SetDeadline(time.Now().Add(timeout))
	if err := open(nc, path, deflate); err != nil {
		nc.Close()
		return nil, fmt.Errorf("handshake on %s: %w", path, err)
	}
	nc.SetDeadline(time.Time{})
	return &Conn{nc: nc}, nil
}

// DialBare connects to addr without WebSocket. Each message is preceded by its length, four bytes in network order.
func DialBare(addr string) (*Conn, error) {
	nc, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		return nil, err
	}
	return &Conn{nc: nc, bare: true}, nil
}

// Say sends a message; on a WebSocket it is a binary message.
func (c *Conn) Say(p []byte) error {
	b := Frame(wsframe.Final(wsframe.Binary), p)
	if c.bare {
		b = lenframe.Append(nil, p)
	}
	_, err := c.nc.Write(b)
	return err
}

// Hear returns the next message. On a WebSocket it must be an unmasked binary message in a single frame. It is valid until the
// next call.
func (c *Conn) Hear() ([]byte, error) {
	frame, payload, err := c.Next()
	if err != nil || c.bare {
		return payload, err
	}
	if h, _, err := wsframe.Parse(frame); err != nil || h.Kind != wsframe.Final(wsframe.Binary) || h.Masked {
		return nil, errors.New("unexpected frame")
	}
	return payload, nil
}

// SetDeadline sets the deadline of reads and writes.
func (c *Conn) SetDeadline(t time.Time) error { return c.nc.SetDeadline(t) }

func open(nc net.Conn, path string, deflate bool) error {
	extensions := ""
	if deflate {
		extensions = "Sec-WebSocket-Extensions: " + offer + "\r\n"
	}
	_, err := fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n%s\r\n", path, key, extensions)
	if err != nil {
		return err
	}
	br := bufio.NewReaderSize(nc, 512)
	resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodGet})
	if err != nil {
		return err
	}
	chosen := resp.Header.Get("Sec-Websocket-Extensions")
	switch {
	case resp.StatusCode != http.StatusSwitchingProtocols:
		return fmt.Errorf("the status is %d, want 101", resp.StatusCode)
	case resp.Header.Get("Sec-Websocket-Accept") != accept:
		return errors.New("Sec-WebSocket-Accept does not match the key")
	case br.Buffered() > 0:
		return errors.New("unexpected bytes after the handshake")
	case !deflate && chosen != "":
		return fmt.Errorf("it chose %q, and nothing was offered", chosen)
	case deflate && !(strings.HasPrefix(chosen, "permessage-deflate") && strings.Contains(chosen, "server_no_context_takeover")):
		return fmt.Errorf("it chose %q, want permessage-deflate without context takeover", chosen)
	}
	return nil
}

// Close closes the connection without a closing handshake.
func (c *Conn) Close() error { return c.nc.Close() }

// list is connections that are closed together.
type list []*Conn

// dialAll opens opt.Conns connections. After an error none are open.
func dialAll(path string, opt Options, deflate bool) (all list, err error) {
	for i := range opt.Conns {
		c, err := Dial(opt.Addr, path, deflate)
		if err != nil {
			all.close()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (all list) close() {
	for _, c := range all {
		c.Close()
	}
}

// Next returns the next frame as received, header included, and its payload. Both are valid until the next call.
func (c *Conn) Next() (frame, payload []byte, err error) {
	for {
		h, n, err := c.header()
		if err != nil {
			return nil, nil, err
		}
		if h.Length > math.MaxInt32-wsframe.MaxHeaderSize {
			return nil, nil, fmt.Errorf("unexpected frame of %d bytes", h.Length)
		}
		size := n + int(h.Length)
		if n > 0 && len(c.in) >= size {
			frame, c.in = c.in[:size], c.in[size:]
			return frame, frame[n:], nil
		}
		if err := c.receive(max(size, 128)); err != nil {
			return nil, nil, err
		}
	}
}

// header parses the header of the next frame, or its length on a bare connection. n is the header's size, or 0 if the header is
// incomplete.
func (c *Conn) header() (h wsframe.Header, n int, err error) {
	if !c.bare {
		return wsframe.Parse(c.in)
	}
	if len(c.in) < lenframe.HeaderSize {
		return h, 0, nil
	}
	h.Length = int64(binary.BigEndian.Uint32(c.in))
	return h, lenframe.HeaderSize, nil
}

// receive reads more bytes, after making room for size bytes including those that are not consumed yet.
func (c *Conn) receive(size int) error {
	have := copy(c.buf, c.in)
	if len(c.buf) < size {
		c.buf = append(slices.Clip(c.buf[:have]), make([]byte, size-have)...)
	}
	n, err := c.nc.Read(c.buf[have:])
	c.in = c.buf[:have+n]
	if n > 0 {
		return nil
	}
	return err
}
