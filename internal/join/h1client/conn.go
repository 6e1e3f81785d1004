// Package h1client implements the client's side of an HTTP/1.1 connection: it sends one request at a time and reads its
// response. Its users build the requests and interpret the responses.
//
// The engine of such connections must have a negative Config.IdleTimeout, MessageTimeout and MinReadRate, because a server
// may take its time to respond. Expire and SetReadIdle bound that time.
package h1client

import (
	"crypto/tls"
	"errors"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Conn is a connection to a server. It carries one exchange at a time: a request and its response.
//
//	        ┌──────────── one goroutine reads: Await, Read, … ── Leave ─┐
//	Begin ──┤                                                          ├─► Reusable? ─► Begin …
//	        └─ another may send: SendPart, SendTrailers ──────── Leave ─┘        └────► the end
//
//	open ─► tunneled        the connection belongs to a Tunnel
//	   └──► ended           it takes no more exchanges
//
// Some methods say that any goroutine may call them. The others are for one of the two goroutines above, or for the
// goroutine that owns the connection while it is idle.
type Conn struct {
	TLS *tls.ConnectionState // nil without TLS; not modified

	// Look says that the connection has been idle, so that Begin must look at it first, as Fresh does. It is for the owner.
	Look bool

	state       state // what becomes of the connection
	nothingSent bool  // Begin has failed, and nothing was sent; for the caller of Begin

	Receiver
	Sender

	turn  turn   // the current exchange; its mu guards state and watch, too
	watch *watch // nil if nothing watches
	onEnd func(*Conn)
}

// state is what becomes of a connection.
type state uint8

const (
	open     state = iota
	tunneled       // it belongs to a Tunnel
	ended          // it has been ended
)

// ErrEnded is returned when a connection takes no more requests. Nothing of the new request has been sent.
var ErrEnded = errors.New("h1client: the connection has ended")

// New makes a connection from nc, which becomes one of e's connections and uses e's clock. ahead holds bytes that have
// been read from nc already; if there are any no request begins, since a server must not speak first. state is the state
// of TLS, nil without TLS. onEnd is called once when the connection has ended for whatever reason, on a goroutine of its
// own and without locks held. If the engine has been shut down New closes nc and returns netconn.ErrShutdown.
func New(
	e *netconn.Engine, nc net.Conn, ahead []byte, cfg *Config, state *tls.ConnectionState, onEnd func(*Conn),
) (*Conn, error) {
	c := &Conn{TLS: state, onEnd: onEnd}
	c.Receiver.cfg, c.Receiver.turn, c.Sender.turn = cfg, &c.turn, &c.turn
	c.turn.mu.Lock() // makes Drain wait until p is set
	defer c.turn.mu.Unlock()
	var err error
	if c.turn.p, err = e.Pull(nc, ahead, owner{c}); err != nil {
		return nil, err
	}
	return c, nil
}

// owner is the netconn.Owner of the connection.
type owner struct{ c *Conn }

// Drain implements netconn.Owner. An idle connection is closed; one that is in use is closed after the current exchange.
func (o owner) Drain() { go o.c.Close() }

// Link returns the connection below, for addresses, the clock and write deadlines. Any goroutine may use it.
func (c *Conn) Link() *netconn.Link { return &c.turn.p.Link }

// Served returns how many exchanges have begun, including the current one, whose number it is for Cancel and StopSending.
// Both goroutines of an exchange may call it before they leave, and the owner of an idle connection.
func (c *Conn) Served() int { return c.turn.served }

// Reused reports whether there were exchanges before the current one. Then the server may have closed the connection
// before the request arrived. Whoever may call Served may call it.
func (c *Conn) Reused() bool { return c.turn.served > 1 }
