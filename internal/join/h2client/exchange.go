package h2client

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http2"
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

// headLocked handles a received head.
func (x *Exchange) headLocked(ev *http2.Event) {
	if ev.Kind == http2.EventInformational {
		x.interim = append(x.interim, Interim{ev.Head.Status, append([]http2.Field(nil), ev.Head.Fields...)})
		if ev.Head.Status == 100 {
			x.bodyWanted = true
			x.proceed.EndLocked()
		}
	} else {
		x.final = true
		x.SetReadTimeoutLocked(0)
		x.Status, x.Length, x.Bare = ev.Head.Status, ev.Head.ContentLength, ev.EndStream
		x.Fields = append(x.Fields[:0], ev.Head.Fields...)
		x.proceed.EndLocked()
	}
	x.WakeLocked()
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
		if err := x.WaitLocked(done); err != nil {
			return Interim{}, false, x.whyEndedLocked(err)
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
		x.SetReadTimeoutLocked(d)
	}
	x.conn.Unlock()
}

// Failed returns the error to report for err: the GOAWAY, or the error of the connection, if that is why the connection
// ended.
func (x *Exchange) Failed(err error) error {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.whyEndedLocked(err)
}

// whyEndedLocked is Failed with the lock held.
func (x *Exchange) whyEndedLocked(err error) error {
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
	return (c.ErrLocked() != nil || c.EndedLocked()) && c.headsReceived == x.headsAtStart && c.goAway == nil
}

// Whole returns the whole body of the response, in a buffer from bufpool, if it has arrived whole and none of it was
// read.
func (x *Exchange) Whole() (p []byte, ok bool) {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.TakeWholeLocked()
}

// CancelLocked resets the stream with a code. Reads and writes fail with err, and Proceed returns.
func (x *Exchange) CancelLocked(code http2.ErrCode, err error) {
	x.ResetForLocked(code, err)
	x.proceed.EndLocked()
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
		free = x.EndLocked()
		c.callerDraws = false
		said = c.WireLocked().Pending()
		x.conn, x.proceed = nil, expect.Wait{}
		c.noteIdleLocked()
		c.admitLocked()
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
