// Package netconn runs connections: it accepts them, gives what arrives to a protocol, sends what the protocol
// appends, parks connections that are idle, and ends each exactly once. It knows no protocol.
package netconn

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"
)

// Protocol is what a connection speaks.
type Protocol interface {
	// Data is given the bytes that arrived and were not taken yet, and returns how many it takes; the rest is kept
	// and given again, at the front of more. in is valid until Data returns or calls a method of c that reads.
	// Data runs on the connection's goroutine, never twice at the same time, and may block for as long as it likes.
	//
	// A Data that must read further itself (Fill, Read) or take the connection over (TakeOver) while c.Latched() is
	// true returns ErrUnlatch instead: it is called again with what it did not take and c.Latched() false.
	//
	// A Data that called c.Take or a method that reads returns what it takes of c.Unread() on top.
	//
	// Any other error ends the connection, after the output that is pending has been sent: ErrDone in good order,
	// ErrLinger in good order with a lingering close (the peer may still be sending: it must get to read our answer),
	// ErrAbort at once, with what is pending thrown away and a reset; anything else like ErrDone, and End is told.
	Data(c *Conn, in []byte) (n int, err error)

	// End is called once, last, on the connection's goroutine: the connection is over, or somebody took it over.
	// err is nil after ErrDone, ErrLinger and TakeOver, io.EOF when the peer closed between messages,
	// io.ErrUnexpectedEOF when it closed with bytes left that nobody took, ErrIdle, ErrSlow (wraps
	// os.ErrDeadlineExceeded), ErrShutdown, or what the socket or Data said. For ErrSlow, ErrIdle and ErrShutdown the protocol may still append a
	// last word; it is sent as far as the socket takes it without waiting.
	End(c *Conn, err error)
}

var (
	// ErrUnlatch, ErrDone, ErrLinger, ErrAbort are what Data may return; see there.
	ErrUnlatch = errors.New("netconn: run Data outside the latch")
	ErrDone    = errors.New("netconn: the protocol is done")
	ErrLinger  = errors.New("netconn: the protocol is done, the peer perhaps not")
	ErrAbort   = errors.New("netconn: abort")

	ErrIdle     = errors.New("netconn: idle for too long")
	ErrSlow     = errors.New("netconn: peer too slow") // really a type that wraps os.ErrDeadlineExceeded
	ErrShutdown = errors.New("netconn: shutting down")
	// ErrLatched is what Fill, Read and TakeOver say inside the latch.
	ErrLatched = errors.New("netconn: latched")
)

// Loop names a serve loop.
type Loop uint8

const (
	Auto  Loop = iota // the latched loop where it can be used, else the plain one; SHOCKWAVE_LOOP=plain in the environment means Plain
	Plain             // Read, Data, Write on the net.Conn
)

// Config says how an Engine runs its connections. A zero field is its default, a negative limit or time is none.
type Config struct {
	// New is called once per connection, on its goroutine, when it is there and (with TLS) its handshake done.
	// l is the listener it came from.
	New func(c *Conn, l net.Listener) (Protocol, error)

	Loop             Loop
	ReadBuffer       int                        // first lease for what arrives; it grows while Data takes nothing; default 4 KiB
	MaxUnread        int                        // most bytes that may stand untaken; the protocol should refuse earlier; default 4 MiB
	WriteBuffer      int                        // bound of the output queue; default 64 KiB
	MaxConns         int                        // open connections; more wait in the listen queue; default none
	IdleTimeout      time.Duration              // without a byte between messages; default 60 s
	MessageTimeout   time.Duration              // from the first byte that Data did not take until it takes one; default 10 s
	HandshakeTimeout time.Duration              // TLS; default 10 s
	IdlePark         time.Duration              // until an idle connection gives up its goroutine; default 10 s
	WriteTimeout     time.Duration              // longest wait for the socket to take the next byte; default none (MinWriteRate guards)
	MinReadRate      int                        // bytes per second while Fill or Read waits, after RateGrace; default 240
	MinWriteRate     int                        // bytes per second while output waits for the socket, after RateGrace; default 240
	RateGrace        time.Duration              // default 5 s
	LingerTimeout    time.Duration              // of a lingering close; default 1 s
	LingerBytes      int                        // most bytes drained then; default 256 KiB
	OnState          func(nc net.Conn, s State) // every change of state; selects the plain loop
	Logger           *slog.Logger               // default: silent
}

// State is where a connection is in its life; the numbers are net/http's.
type State int

const (
	StateNew State = iota
	StateActive
	StateIdle
	StateHijacked
	StateClosed
)

// Engine runs the connections of any number of listeners. All methods may be called concurrently.
type Engine struct{}

// New returns an engine with no listener.
func New(cfg Config) *Engine { panic("netconn") }

// Serve accepts from l until l fails or the engine ends; it returns ErrShutdown after Shutdown or Close, never nil. With a tlsCfg
// every connection starts with a TLS handshake. Serve closes l.
func (e *Engine) Serve(l net.Listener, tlsCfg *tls.Config) error { panic("netconn") }

// Shutdown stops accepting, ends idle connections, lets the others finish what they do (Draining is true for them) and waits for
// them until ctx ends.
func (e *Engine) Shutdown(ctx context.Context) error { panic("netconn") }

// Close stops accepting and ends every connection now. It does not wait for handlers.
func (e *Engine) Close() error { panic("netconn") }

// Now is the time, coarse (≤ 5 ms behind) while any connection is active.
func (e *Engine) Now() time.Time { panic("netconn") }

// Stats is a snapshot of an engine's counters.
type Stats struct {
	Accepted, Open, Parked, Active int64 // Active: with a goroutine
	BytesIn, BytesOut              int64 // of the transport, cipher text with TLS
	AcceptErrors, Slow, Panics     int64
}

// Stats returns the counters as they are now.
func (e *Engine) Stats() Stats { panic("netconn") }

// Conn is one connection. Except where otherwise noted its methods are for the connection's goroutine, within Data.
type Conn struct{}

// NetConn returns what was accepted, or the *tls.Conn on it. Do not read, write or close it.
func (c *Conn) NetConn() net.Conn { panic("netconn") }

// TLS returns the connection's TLS state, nil without TLS.
func (c *Conn) TLS() *tls.ConnectionState { panic("netconn") }

// Latched tells whether Data runs inside the latch: see Protocol.
func (c *Conn) Latched() bool { panic("netconn") }

// Take says that n bytes of Unread are taken.
func (c *Conn) Take(n int) { panic("netconn") }

// Unread returns the bytes that arrived and were not taken, valid until the next Fill, Read or return.
func (c *Conn) Unread() []byte { panic("netconn") }

// Fill flushes, waits until more bytes have arrived and returns Unread. It fails with io.EOF, ErrSlow (MinReadRate or the
// read deadline), ErrLatched, or what the socket says.
func (c *Conn) Fill() ([]byte, error) { panic("netconn") }

// Read copies from Unread and takes what it copied, or, if that is empty, flushes and reads from the socket into p.
func (c *Conn) Read(p []byte) (int, error) { panic("netconn") }

// BeginMessage starts the account of MinReadRate anew.
func (c *Conn) BeginMessage() { panic("netconn") }

// SetReadDeadline bounds Fill and Read; the zero time is none. It ends with Data. Any goroutine may call it.
func (c *Conn) SetReadDeadline(t time.Time) error { panic("netconn") }

// SetWriteDeadline bounds waits for the socket; the zero time is none. Any goroutine may call it.
func (c *Conn) SetWriteDeadline(t time.Time) error { panic("netconn") }

// Write appends p to the output as one unit. Any goroutine may call it. While Data runs the output leaves when Data ends, waits
// or calls Flush; else at once. When the queue is full, or p large, it waits for the socket; p is not referenced afterwards.
// After a failed write every write fails with the same error.
func (c *Conn) Write(p []byte) (int, error) { panic("netconn") }

// WriteTwo appends a and b as one unit, as Write does.
func (c *Conn) WriteTwo(a, b []byte) error { panic("netconn") }

// Flush sends what is pending and returns when it has left. Any goroutine may call it.
func (c *Conn) Flush() error { panic("netconn") }

// FlushSoon says that Data goes on for unknown time: what is pending now leaves within a tick (5 ms) even if Data still runs.
func (c *Conn) FlushSoon() { panic("netconn") }

// Pending tells how many bytes of output have not been sent.
func (c *Conn) Pending() int { panic("netconn") }

// ReadFrom flushes and sends what src gives, by sendfile where the system can (src an *os.File or an *io.LimitedReader on one).
func (c *Conn) ReadFrom(src io.Reader) (int64, error) { panic("netconn") }

// Become hands the connection to another protocol: what is unread and all later bytes go to p. The old protocol's End is not called.
func (c *Conn) Become(p Protocol) { panic("netconn") }

// TakeOver flushes and takes the connection out of the engine: the caller owns it from now on, with the bytes that were read ahead and
// not taken (the caller's). Outside the latch it is the accepted net.Conn or *tls.Conn itself, without deadlines. Inside the latch it is
// a net.Conn that works at once and, when Data has returned, is as good as the accepted one.
func (c *Conn) TakeOver() (net.Conn, []byte, error) { panic("netconn") }

// OnGone calls f once, on a goroutine of its own, when the peer has closed or reset the connection while Data runs. stop takes
// the wish back and reports whether f will not be called. The wish ends with Data. Any goroutine may call it while Data runs.
func (c *Conn) OnGone(f func()) (stop func() bool) { panic("netconn") }

// Draining tells whether the engine shuts down: the message in hand is the last. Any goroutine may call it.
func (c *Conn) Draining() bool { panic("netconn") }

// Abort ends the connection now, from any goroutine: reads and writes fail, the peer sees a reset.
func (c *Conn) Abort() { panic("netconn") }

// Engine returns the engine that runs c.
func (c *Conn) Engine() *Engine { panic("netconn") }
