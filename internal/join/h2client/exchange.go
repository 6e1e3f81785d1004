package h2client

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/expect"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// Exchange is a request and its response. One goroutine at a time may read and one may send. Each of them calls Leave
// when it is done; after the last Leave the Exchange can be used again.
type Exchange struct {
	h2conn.Stream

	// The response as far as it has arrived. Only the reading goroutine may use these, and only after Await.
	Status  int
	Bare    bool          // the response ended with its head
	Length  int64         // the content-length; -1 if there was none
	Fields  []http2.Field // of the final head; the strings may be kept
	Trailer []http2.Field // set when Read has returned io.EOF

	conn *Conn

	// The connection's lock guards these.
	interim      []Interim
	final        bool        // the final head has arrived
	bodyWanted   bool        // the server has sent 100 Continue
	users        int8        // goroutines that have not called Leave
	headsAtStart int64       // Conn.headsReceived when x began
	proceed      expect.Wait // of Proceed
}

// Interim is an informational response (RFC 9110 §15.2).
type Interim struct {
	Status int
	Fields []http2.Field
}

// Conn returns the connection.
func (x *Exchange) Conn() *Conn { return x.conn }

// Start begins a request with a head, which is encoded with the connection's lock held. sends means that a second goroutine will send a body and then call Leave. If the server takes
// no more requests at once, Start waits until it does or until done is closed, when it returns false and no error;
// without wait it fails with ErrFull instead. After an error for which Unprocessed is true the caller may use another
// connection.
func (c *Conn) Start(x *Exchange, head carrier.Section, sends, wait bool, done <-chan struct{}) (begun bool, err error) {
	c.Lock()
	if !c.queue.mayPass(c) && !c.closed.Load() {
		if !wait {
			c.Unlock()
			return false, ErrFull
		}
		if !c.queue.wait(c, done) && !c.closed.Load() {
			c.Unlock()
			return false, nil
		}
	}
	if c.closed.Load() || c.Ended() || c.Err() != nil {
		c.retire()
		c.Unlock()
		return false, http2.ErrGoingAway
	}
	w, err := c.Wire().Open(nil)
	if err != nil {
		c.Unlock()
		return false, err
	}
	x.begin(c, w, sends)
	if err := x.sendHead(head, !sends); err != nil {
		x.withdraw()
		return false, err
	}
	last := w.ID() == lastStream
	c.Unlock()
	c.requestDraw()
	if last {
		c.Close()
	}
	return true, nil
}

// lastStream is the highest stream identifier. A client that has used it needs another connection (RFC 9113 §5.1.1).
const lastStream = 1<<31 - 1

// begin initializes x as the owner's end of w. The caller must hold the lock.
func (x *Exchange) begin(c *Conn, w *http2.Stream, sends bool) {
	x.conn, x.Owner = c, x
	x.Begin(&c.Conn, w)
	x.Status, x.Length, x.final, x.bodyWanted, x.users, x.headsAtStart = 0, -1, false, false, 1, c.headsReceived
	x.Fields, x.Trailer, x.interim = x.Fields[:0], x.Trailer[:0], nil
	if sends {
		x.users = 2
	}
}

// sendHead appends the request's head; end means that there is no body. The caller must hold the lock.
func (x *Exchange) sendHead(head carrier.Section, end bool) error {
	c := x.conn
	wire, out, _ := x.Out() // cannot fail: the stream has just been opened
	out, err := wire.CheckHeaders(head.AppendTo(wire, wire.BeginHeaders(out, x.Wire())))
	c.callerDraws = true
	if err != nil {
		x.SetOut(out, false)
		c.callerDraws = false
		return err
	}
	x.SetOut(wire.EndHeaders(out, end), end)
	c.callerDraws = false
	c.idleStart = 0
	c.StreamOpened()
	return nil
}

// withdraw undoes begin: nothing was sent. The caller must hold the lock, which withdraw releases.
func (x *Exchange) withdraw() {
	c := x.conn
	c.callerDraws = true
	free := x.End()
	c.callerDraws = false
	x.conn = nil
	c.queue.admit(c)
	c.Unlock()
	c.requestDraw()
	if free {
		c.Link().EndWork()
	}
}

// head handles a received head. The caller must hold the lock.
func (x *Exchange) head(ev *http2.Event) {
	if ev.Kind == http2.EventInformational {
		x.interim = append(x.interim, Interim{ev.Head.Status, append([]http2.Field(nil), ev.Head.Fields...)})
		if ev.Head.Status == 100 {
			x.bodyWanted = true
			x.proceed.EndLocked()
		}
	} else {
		x.final = true
		x.SetReadTimeout(0)
		x.Status, x.Length, x.Bare = ev.Head.Status, ev.Head.ContentLength, ev.EndStream
		x.Fields = append(x.Fields[:0], ev.Head.Fields...)
		x.proceed.EndLocked()
	}
	x.Wake()
}

// Await waits for the response's head. It returns each informational response with more set to true, and then the final
// head, which is in the fields of x, with more set to false. It returns ErrDone when done is closed, or the error that
// ended the stream.
func (x *Exchange) Await(done <-chan struct{}) (in Interim, more bool, err error) {
	c := x.conn
	c.Lock()
	defer c.Unlock()
	for {
		if len(x.interim) > 0 {
			in, x.interim = x.interim[0], x.interim[1:]
			return in, true, nil
		}
		if x.final {
			return Interim{}, false, nil
		}
		if err := x.Wait(done); err != nil {
			return Interim{}, false, x.whyEnded(err)
		}
		select {
		case <-done:
			if !x.final {
				return Interim{}, false, ErrDone
			}
		default:
		}
	}
}

// ErrDone is returned by Await when done was closed.
var ErrDone = errors.New("h2client: no longer awaited")

// Expire makes Await fail with netconn.ErrSlow if the head does not arrive within d; 0 is no limit. Any goroutine that
// uses x may call it.
func (x *Exchange) Expire(d time.Duration) {
	x.conn.Lock()
	if !x.final {
		x.SetReadTimeout(d)
	}
	x.conn.Unlock()
}

// Failed returns the error to report for err: the GOAWAY, or the error of the connection, if that is why the connection
// ended.
func (x *Exchange) Failed(err error) error {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.whyEnded(err)
}

// whyEnded is Failed for a caller that holds the lock.
func (x *Exchange) whyEnded(err error) error {
	c := x.conn
	switch {
	case c.goAway != nil && errors.Is(err, http2.ErrUnprocessed):
		return &goneError{c.goAway, err}
	case err == io.ErrUnexpectedEOF && c.goAway == nil && c.readErr != nil:
		return c.readErr
	}
	_, system := err.(*net.OpError)
	switch {
	case c.goAway != nil && (system || err == io.ErrUnexpectedEOF):
		return c.goAway
	case system:
		return &brokenError{err}
	}
	return err
}

// NoResponse reports whether the connection has ended without GOAWAY and without any head since x began: the server may
// have closed it before the request arrived.
func (x *Exchange) NoResponse() bool {
	c := x.conn
	c.Lock()
	defer c.Unlock()
	return (c.Err() != nil || c.Ended()) && c.headsReceived == x.headsAtStart && c.goAway == nil
}

// Expect makes Proceed wait for 100 Continue. It must be called before Start.
func (x *Exchange) Expect() { x.proceed.Begin() }

// Proceed waits, on the sending goroutine, until the server has sent 100 Continue or a final head, sending was stopped,
// wait has passed, or done is closed. It reports whether the body is to be sent: not after a final head without 100
// Continue, and not if the stream can no longer be written to.
func (x *Exchange) Proceed(wait time.Duration, done <-chan struct{}) (wanted bool) {
	x.conn.Lock()
	over := x.proceed.Over()
	x.conn.Unlock()
	expect.For(over, wait, done)
	x.conn.Lock()
	defer x.conn.Unlock()
	return (x.bodyWanted || !x.final) && !x.Over()
}

// Whole returns the whole body of the response, in a buffer from bufpool, if it has arrived whole and none of it was
// read.
func (x *Exchange) Whole() (p []byte, ok bool) {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.TakeWhole()
}

// Cancel resets the stream with a code. Reads and writes fail with err, and Proceed returns. The caller must hold the
// connection's lock.
func (x *Exchange) Cancel(code http2.ErrCode, err error) {
	x.ResetFor(code, err)
	x.proceed.EndLocked()
}

// StopSending makes writes fail with err, and Proceed return. The caller must hold the connection's lock.
func (x *Exchange) StopSending(err error) {
	x.FailWrites(err)
	x.proceed.EndLocked()
}

// SendPart is Stream.Send for a caller that does not hold the lock. Only the sending goroutine may call it.
func (x *Exchange) SendPart(p []byte, end bool) error {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.Send(p, end)
}

// SendNow sends what can be sent of p without waiting, as Stream.SendNow does, and returns the rest.
func (x *Exchange) SendNow(p []byte, end bool) (rest []byte, err error) {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.Stream.SendNow(p, end)
}

// SendTrailers ends the request with a trailer section.
func (x *Exchange) SendTrailers(fields []http2.Field) error {
	c := x.conn
	c.Lock()
	wire, out, err := x.Out()
	if err == nil {
		out = wire.BeginHeaders(out, x.Wire())
		for i := range fields {
			out = wire.AppendField(out, fields[i].Name, fields[i].Value)
		}
		out, err = wire.CheckHeaders(out)
		c.callerDraws = true
		x.SetOut(wire.EndHeaders(out, true), true)
		c.callerDraws = false
	}
	c.Unlock()
	c.requestDraw()
	return err
}

// Leave must be called once by each goroutine that uses x. It reports whether this was the last one: then x can be used
// for another request. The last Leave resets a stream that has not ended. also, if not nil, is called with the result and
// with the lock held.
func (x *Exchange) Leave(also func(last bool)) (last bool) {
	c := x.conn
	c.Lock()
	x.users--
	last = x.users == 0
	if also != nil {
		also(last)
	}
	free, said := false, false
	if last {
		c.callerDraws = true
		free = x.End()
		c.callerDraws = false
		said = c.Wire().Pending()
		x.conn, x.proceed = nil, expect.Wait{}
		c.noteIdle()
		c.queue.admit(c)
	}
	c.Unlock()
	if said {
		c.requestDraw()
	}
	if free {
		c.Link().EndWork()
	}
	return last
}
