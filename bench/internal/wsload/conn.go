// Package wsload is the load of messages that shockwave bench does not make: broadcasts, the same compressed JSON for
// every peer, and connections that are held. It checks every byte that comes. Messages are WebSocket's, or stand behind
// their lengths.
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

	"github.com/shockwave-go/shockwave/internal/lenframe"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// patience bounds a handshake, and one exchange.
const patience = 30 * time.Second

// The example of RFC 6455 §1.3. Keys prove nothing to a server that is measured.
const (
	key    = "dGhlIHNhbXBsZSBub25jZQ=="
	accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
)

// offer is the compression that is asked for: each message by itself, in both directions.
const offer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

// Conn is a client's connection. Its methods are for one goroutine at a time.
type Conn struct {
	nc   net.Conn
	bare bool   // no WebSocket: messages behind their lengths
	in   []byte // what was received and not taken
	room []byte // where it lies
}

// Dial connects to addr and opens path, with compression if deflate says so.
func Dial(addr, path string, deflate bool) (*Conn, error) {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	nc.SetDeadline(time.Now().Add(patience))
	if err := open(nc, path, deflate); err != nil {
		nc.Close()
		return nil, fmt.Errorf("handshake on %s: %w", path, err)
	}
	nc.SetDeadline(time.Time{})
	return &Conn{nc: nc}, nil
}

// DialBare connects to addr, where messages stand behind their lengths: four bytes in network order.
func DialBare(addr string) (*Conn, error) {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &Conn{nc: nc, bare: true}, nil
}

// Say sends a message, on a WebSocket as a binary one.
func (c *Conn) Say(p []byte) error {
	b := Frame(wsframe.Kind{Opcode: wsframe.Binary, Fin: true}, p)
	if c.bare {
		b = lenframe.Append(nil, p)
	}
	_, err := c.nc.Write(b)
	return err
}

// Hear returns the next message, which must be a binary one of a server and stand in one frame. It is valid until the next call.
func (c *Conn) Hear() ([]byte, error) {
	frame, payload, err := c.Next()
	if err != nil || c.bare {
		return payload, err
	}
	if h, _, err := wsframe.Parse(frame); err != nil || h.Kind != (wsframe.Kind{Opcode: wsframe.Binary, Fin: true}) || h.Masked {
		return nil, errors.New("a frame that nobody sent")
	}
	return payload, nil
}

// SetDeadline bounds what waits.
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
		return errors.New("a Sec-WebSocket-Accept that is not the key's")
	case br.Buffered() > 0:
		return errors.New("bytes behind the handshake that nobody asked for")
	case !deflate && chosen != "":
		return fmt.Errorf("it chose %q, and nothing was offered", chosen)
	case deflate && !(strings.HasPrefix(chosen, "permessage-deflate") && strings.Contains(chosen, "server_no_context_takeover")):
		return fmt.Errorf("it chose %q, want permessage-deflate without context takeover", chosen)
	}
	return nil
}

// Close ends the connection without a closing handshake.
func (c *Conn) Close() error { return c.nc.Close() }

// list is connections that end together.
type list []*Conn

// dialAll opens opt.Conns connections; with an error there are none.
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

// Next returns the next frame as it came, header included, and its payload; both are valid until the next call.
func (c *Conn) Next() (frame, payload []byte, err error) {
	for {
		h, n, err := c.header()
		if err != nil {
			return nil, nil, err
		}
		if h.Length > math.MaxInt32-wsframe.MaxHeaderSize {
			return nil, nil, fmt.Errorf("a frame of %d bytes, which nobody asked for", h.Length)
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

// header reads the header of the next frame, or a length; n is 0 if it is not whole.
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

// receive receives some bytes; what was not taken and they have room for size.
func (c *Conn) receive(size int) error {
	have := copy(c.room, c.in)
	if len(c.room) < size {
		c.room = append(slices.Clip(c.room[:have]), make([]byte, size-have)...)
	}
	n, err := c.nc.Read(c.room[have:])
	c.in = c.room[:have+n]
	if n > 0 {
		return nil
	}
	return err
}
