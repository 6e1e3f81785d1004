// Package h1client implements the client's side of an HTTP/1.1 connection: it sends one request at a time and reads its
// response. Its users build the requests and interpret the responses.
//
// The engine of such connections must have a negative Config.IdleTimeout, MessageTimeout and MinReadRate, because a server
// may take its time to answer. Expire and SetReadIdle bound that time.
package h1client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// Config is the configuration of connections.
type Config struct {
	Limits http1.Limits // of response heads, trailers and framing

	// AllowTruncated accepts a body that ends with the connection although TLS has ended without a closing alert. Many
	// servers omit the alert, but an attacker on the path can cut a body in the same way. RFC 9112 §9.8 requires the alert.
	AllowTruncated bool
}

// Conn is a connection to a server. It carries one exchange at a time: a request and its response.
//
//	        ┌──────────── one goroutine reads: Await, Read, … ── Leave ─┐
//	Begin ──┤                                                          ├─► Reusable? ─► Begin …
//	        └─ another may send: SendPart, SendTrailers ──────── Leave ─┘        └────► the end
//
// Some methods say that any goroutine may call them. The others are for one of the two goroutines above, or for the
// goroutine that owns the connection while it is idle.
type Conn struct {
	TLS *tls.ConnectionState // nil without TLS; not modified

	// Look says that the connection has been idle, so that Begin must look at it first, as Fresh does. It is for the owner.
	Look bool

	cfg   *Config
	onEnd func(*Conn)
	p     *netconn.Pulled

	mu          sync.Mutex         // guards the fields up to watch
	users       int8               // how many goroutines have not left the exchange
	ended       bool               // the connection has been ended
	tunneled    bool               // the connection belongs to a Tunnel
	last        bool               // no exchange follows the current one
	gotFinal    bool               // the final head has arrived
	bodyWanted  bool               // the server has asked for the body
	deadlineSet bool               // a read deadline is set
	sentAll     bool               // the whole request has been passed to the connection
	stopErr     error              // the error of StopSending
	unblock     context.CancelFunc // ends the sender's wait for room
	proceed     chan struct{}      // closed when the server has asked for the body; nil if nobody waits for that
	watch       *watch

	// served is how many exchanges have begun. It changes under mu when no exchange is under way, so the goroutines of an
	// exchange, and the owner of an idle connection, read it without.
	served int
	// canceled is the error of Cancel, after which no other exchange begins. It is set once, under mu.
	canceled atomic.Pointer[error]

	chunked     bool // the request is chunked; for the sending goroutine
	nothingSent bool // Begin has failed, and nothing was sent; for the caller of Begin

	// The following fields are for the reading goroutine. Small fields are grouped to keep a Conn small: there may be
	// 10,000 idle ones.
	heard      bool // a byte of a response has arrived
	connLost   bool // the connection has ended during the exchange
	untilClose bool // the end of the connection ends the body
	bodyRead   bool // Read has been called
	method     string
	interim    interim
	body       httpread.Body
	length     int64         // of the body according to the head; -1 if only the body's end tells
	idle       time.Duration // set by SetReadIdle
}

// ErrEnded is returned when a connection takes no more requests. Nothing of the new request has been sent.
var ErrEnded = errors.New("h1client: the connection has ended")

// New makes a connection from nc, which becomes one of e's connections and uses e's clock. ahead holds bytes that have
// been read from nc already; if there are any no request begins, since a server must not speak first. state is the state
// of TLS, nil without TLS. onEnd is called once when the connection has ended for whatever reason, on a goroutine of its
// own and without locks held. If the engine has been shut down New closes nc and returns netconn.ErrShutdown.
func New(
	e *netconn.Engine, nc net.Conn, ahead []byte, cfg *Config, state *tls.ConnectionState, onEnd func(*Conn),
) (*Conn, error) {
	c := &Conn{TLS: state, cfg: cfg, onEnd: onEnd}
	c.mu.Lock() // makes Drain wait until p is set
	defer c.mu.Unlock()
	var err error
	if c.p, err = e.Pull(nc, ahead, (*owner)(c)); err != nil {
		return nil, err
	}
	return c, nil
}

// owner is a Conn as the netconn.Owner of its Pulled.
type owner Conn

// Drain implements netconn.Owner. An idle connection is closed; one that is in use is closed after the current exchange.
func (o *owner) Drain() { go (*Conn)(o).Close() }

// Link returns the connection below, for addresses, the clock and write deadlines. Any goroutine may use it.
func (c *Conn) Link() *netconn.Link { return &c.p.Link }

// Served returns how many exchanges have begun, including the current one, whose number it is for Cancel and StopSending.
// Both goroutines of an exchange may call it before they leave, and the owner of an idle connection.
func (c *Conn) Served() int { return c.served }

// Reused reports whether there were exchanges before the current one. Then the server may have closed the connection
// before the request arrived. Whoever may call Served may call it.
func (c *Conn) Reused() bool { return c.served > 1 }
