package sockpeer

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/gorilla/websocket"

	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// link is a connection with blocking reads.
type link interface {
	Send(p []byte) error
	Receive() ([]byte, error) // valid until the next call
	Close() error
}

// plain is a net.Conn with length-prefixed messages.
type plain struct {
	net.Conn
	r       *bufio.Reader
	in, out []byte
}

func newPlain(nc net.Conn) link { return &plain{Conn: nc, r: bufio.NewReaderSize(nc, 64<<10)} }

// Send implements link with one write.
func (c *plain) Send(p []byte) error {
	c.out = append(binary.BigEndian.AppendUint32(c.out[:0], uint32(len(p))), p...)
	_, err := c.Write(c.out)
	return err
}

// Receive implements link.
func (c *plain) Receive() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head[:]))
	c.in = slices.Grow(c.in[:0], n)[:n]
	_, err := io.ReadFull(c.r, c.in)
	return c.in, err
}

// gorillaLink is a connection of gorilla/websocket.
type gorillaLink struct {
	*websocket.Conn
	in []byte
}

// Send implements link.
func (c *gorillaLink) Send(p []byte) error { return c.WriteMessage(websocket.BinaryMessage, p) }

// Receive implements link. It reads into one buffer.
func (c *gorillaLink) Receive() ([]byte, error) {
	_, r, err := c.NextReader()
	if err == nil {
		c.in, err = wspeer.ReadAll(c.in, r)
	}
	return c.in, err
}

// serve serves a connection until it ends.
func (all *room) serve(c link) {
	defer c.Close()
	defer all.leave(c)
	s := &session{send: c.Send, join: func() { all.enter(c) }, tell: all.tell}
	for {
		p, err := c.Receive()
		if err != nil || s.take(p) != nil {
			return
		}
	}
}

// room is the connections that have joined the room. It sends one message at a time.
type room struct {
	mu      sync.Mutex
	members map[link]struct{}
}

func newRoom() *room { return &room{members: map[link]struct{}{}} }

func (all *room) enter(c link) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.members[c] = struct{}{}
}

func (all *room) leave(c link) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.members, c)
}

// tell sends p to all. It ignores errors: the reader of a broken connection fails and removes it.
func (all *room) tell(p []byte) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for c := range all.members {
		_ = c.Send(p)
	}
}

// servePlain serves connections with length-prefixed messages.
func servePlain(l net.Listener) error {
	all := newRoom()
	for {
		nc, err := l.Accept()
		if err != nil {
			return err
		}
		go all.serve(newPlain(nc))
	}
}

// serveGorilla serves with net/http's handshake and gorilla's connections.
func serveGorilla(l net.Listener) error {
	all := newRoom()
	u := &websocket.Upgrader{WriteBufferPool: new(sync.Pool)}
	return serveHTTP(l, func(w http.ResponseWriter, r *http.Request) {
		if c, err := u.Upgrade(w, r, nil); err == nil {
			go all.serve(&gorillaLink{Conn: c})
		}
	})
}

func dialPlain(addr string, cfg *tls.Config) (link, error) {
	var nc net.Conn
	var err error
	if cfg != nil {
		nc, err = tls.Dial("tcp", addr, cfg)
	} else {
		nc, err = net.Dial("tcp", addr)
	}
	if err != nil {
		return nil, err
	}
	return newPlain(nc), nil
}

func dialGorilla(url string, cfg *tls.Config) (link, error) {
	d := &websocket.Dialer{TLSClientConfig: cfg}
	c, _, err := d.Dial(url, nil)
	if err != nil {
		return nil, err
	}
	return &gorillaLink{Conn: c}, nil
}

// driveLink does a task on a connection with blocking reads. It returns err, the error of dialing, if that is not nil.
func driveLink(c link, err error, t Task) (*Account, error) {
	if err != nil {
		return nil, err
	}
	defer c.Close()
	d := newDriver(t, c.Send)
	return d.run(func() error {
		for {
			p, err := c.Receive()
			if err != nil {
				return err
			}
			if over, err := d.take(p); over || err != nil {
				return err
			}
		}
	})
}
