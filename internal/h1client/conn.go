// Package h1client is the client's side of HTTP/1.1 connections: one request at a time, and its response. What a request says
// and what becomes of its response is the affair of the faces.
//
// The engine of such connections has Config.IdleTimeout, MessageTimeout and MinReadRate negative: a server that thinks is
// not slow. How long it may, Expire and SetReadIdle say.
package h1client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/httpread"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Config is what connections go by.
type Config struct {
	Limits http1.Limits // of response heads, trailers and framing

	// TornEnds has a body that the connection's end ends count as whole although TLS has not ended as it should: many
	// servers do without, and who cuts the path can do so, too. RFC 9112 §9.8 forbids that.
	TornEnds bool
}

// Conn is a connection to a server, for one exchange at a time: a request and its response.
//
//	        ┌──────────── one goroutine reads: Await, Read, … ── Leave ─┐
//	Begin ──┤                                                          ├─► Reusable? ─► Begin …
//	        └─ another may send: SendPart, SendTrailers ──────── Leave ─┘        └────► the end
//
// Of the methods that are for neither of the two some say that any goroutine may call them; the others are for whoever
// holds the connection while it is idle, and that is one goroutine at a time.
type Conn struct {
	TLS *tls.ConnectionState // nil without TLS; it is not changed

	cfg  *Config
	over func(*Conn)
	p    *netconn.Pulled

	mu      sync.Mutex // guards what follows
	users   int8       // who has not left the exchange
	ended   bool       // the connection is over, or about to be
	given   bool       // to a Tunnel
	last    bool       // the exchange is the connection's last
	served  int        // exchanges that were begun
	final   bool       // the head that counts has come
	asked   bool       // the server has asked for the body
	timed   bool       // a read deadline is set
	whole   bool       // the request has been sent, as far as this side goes
	failure error      // Cancel's
	hushed  error      // StopSending's
	unblock context.CancelFunc
	proceed chan struct{} // closed when the server wants the body; nil if nobody waits for that
	watch   *watch

	chunked   bool // of the request; the sender's
	untouched bool // Begin has failed before a byte left; of who calls Begin

	// What follows is the reader's. Small fields stand together: 10,000 idle connections are 10,000 of all this.
	heard   bool // a byte of a response has come
	lost    bool // the connection has ended under the exchange
	toClose bool // the connection's end is that of the body
	begun   bool // some of the body has been asked for
	method  string
	interim interim
	body    httpread.Body
	length  int64         // of the body by its head; -1 if only its end tells
	idle    time.Duration // SetReadIdle
}

// ErrEnded says that a connection takes no more requests. Nothing of the one that was to be begun has been sent.
var ErrEnded = errors.New("h1client: the connection has ended")

// New makes a connection of nc, which e is to have the list and the clock of. ahead was read from it already: what a
// server says before it is asked has no request begin. state is that of its TLS, if it has any. over is called once,
// when the connection has ended, whoever ended it: on a goroutine of its own and with nothing locked. New fails with
// netconn.ErrShutdown, with nc closed, when the engine ends.
func New(e *netconn.Engine, nc net.Conn, ahead []byte, cfg *Config, state *tls.ConnectionState, over func(*Conn)) (*Conn, error) {
	c := &Conn{TLS: state, cfg: cfg, over: over}
	c.mu.Lock() // Drain waits
	defer c.mu.Unlock()
	var err error
	if c.p, err = e.Pull(nc, ahead, (*owner)(c)); err != nil {
		return nil, err
	}
	return c, nil
}

// owner is a Conn as its engine knows it.
type owner Conn

// Drain implements netconn.Owner: an idle connection ends; of one that is not, the exchange under way is the last.
func (o *owner) Drain() { go (*Conn)(o).Close() }

// Link returns the connection below: addresses, the clock, write deadlines. Any goroutine may use it.
func (c *Conn) Link() *netconn.Link { return &c.p.Link }

// Served returns how many exchanges were begun, the one under way included. Any goroutine may call it.
func (c *Conn) Served() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.served
}

// Reused reports whether there were exchanges before the one under way: its connection may have been given up by the
// server before the request arrived. Any goroutine may call it.
func (c *Conn) Reused() bool { return c.Served() > 1 }
