package h2client

import (
	"errors"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2conn"
)

// Request is what is asked.
type Request interface {
	// AppendHead appends the fields of the request's head to the header section that was begun. The lock of the
	// connection is held.
	AppendHead(wire *http2.Conn, dst []byte) []byte
}

// Exchange is a request and its response. One goroutine at a time reads, one at a time sends; each of them calls Leave
// when it is done. It can be used again when the last of them has.
type Exchange struct {
	h2conn.Stream

	// What has arrived of the response; for the goroutine that reads, after Await.
	Status  int
	Bare    bool          // the head was all of it
	Length  int64         // of content-length; -1 if there was none
	Fields  []http2.Field // of the final head; the strings may be kept
	Trailer []http2.Field // there when Read has returned io.EOF

	conn *Conn

	// The connection's lock guards these.
	interim []Interim
	final   bool // the final head has arrived
	asked   bool // the server has asked for the body
	users   int8 // who has not left
	begun   int64
	proceed chan struct{} // closed when the server wants the body; nil if nobody waits for that
}

// Interim is an informational response (RFC 9110 §15.2).
type Interim struct {
	Status int
	Fields []http2.Field
}

// Conn returns the connection.
func (x *Exchange) Conn() *Conn { return x.conn }

// Start begins a request. sends: a second goroutine will Send a body, and Leave. It waits while the server takes no more
// requests at once, until done is closed: then it returns nil, false. Without wait it fails with ErrFull instead. An
// error of which Untouched is true sends the caller to another connection.
func (c *Conn) Start(x *Exchange, r Request, sends, wait bool, done <-chan struct{}) (begun bool, err error) {
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
		c.refuse()
		c.Unlock()
		return false, http2.ErrGoingAway
	}
	w, err := c.Wire().Open(nil)
	if err != nil {
		c.Unlock()
		return false, err
	}
	x.begin(c, w, sends)
	x.say(r, !sends)
	last := w.ID() == lastStream
	c.Unlock()
	c.speak()
	if last {
		c.Close()
	}
	return true, nil
}

// lastStream is the last identifier that there is; a client that goes on needs another connection (RFC 9113 §5.1.1).
const lastStream = 1<<31 - 1

// begin makes x the owner's end of w. The lock is held.
func (x *Exchange) begin(c *Conn, w *http2.Stream, sends bool) {
	x.conn, x.Owner = c, x
	x.Begin(&c.Conn, w)
	x.Status, x.Length, x.final, x.asked, x.users, x.begun = 0, -1, false, false, 1, c.answers
	x.Fields, x.Trailer, x.interim = x.Fields[:0], x.Trailer[:0], nil
	if sends {
		x.users = 2
	}
}

// say says the head. The lock is held.
func (x *Exchange) say(r Request, end bool) {
	c := x.conn
	wire, out, _ := x.Out() // of a stream that begins there is
	out = wire.BeginHeaders(out, x.Wire())
	out = r.AppendHead(wire, out)
	c.speaks = true
	x.SetOut(wire.EndHeaders(out, end), end)
	c.speaks = false
	c.idle = 0
	c.Opened()
}

// head takes a head in. The lock is held.
func (x *Exchange) head(ev *http2.Event) {
	if ev.Kind == http2.Informational {
		x.interim = append(x.interim, Interim{ev.Head.Status, append([]http2.Field(nil), ev.Head.Fields...)})
		if ev.Head.Status == 100 {
			x.asked = true
			x.goOn()
		}
	} else {
		x.final = true
		x.BoundRead(0)
		x.Status, x.Length, x.Bare = ev.Head.Status, ev.Head.ContentLength, ev.EndStream
		x.Fields = append(x.Fields[:0], ev.Head.Fields...)
		x.goOn()
	}
	x.Tell()
}

// Await waits for the response's head. more: the response has come only as far as an informational one, which is
// returned. It returns errDone when done is closed, or why the stream has ended.
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

// ErrDone is Await's when its caller has.
var ErrDone = errors.New("h2client: no longer awaited")

// Expire has Await fail with netconn.ErrSlow if the head does not come within d; 0 is none. Any goroutine that uses x may
// call it.
func (x *Exchange) Expire(d time.Duration) {
	x.conn.Lock()
	if !x.final {
		x.BoundRead(d)
	}
	x.conn.Unlock()
}

// Failed returns err as it is told to those who use x: the connection's end may have a reason.
func (x *Exchange) Failed(err error) error {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.whyEnded(err)
}

// whyEnded is Failed with the lock held.
func (x *Exchange) whyEnded(err error) error {
	c := x.conn
	if err == io.ErrUnexpectedEOF && c.goAway != nil && c.goAway.Code != http2.NoError {
		return c.goAway
	}
	if err == io.ErrUnexpectedEOF && c.broken != nil {
		return c.broken
	}
	return err
}

// Unheard reports whether the connection has ended and no head came on it since x was begun: it may have been given up by
// the server before the request arrived.
func (x *Exchange) Unheard() bool {
	c := x.conn
	c.Lock()
	defer c.Unlock()
	return (c.Err() != nil || c.Ended()) && c.answers == x.begun && c.goAway == nil
}

// Expect has Proceed wait. It is called before Start.
func (x *Exchange) Expect() { x.proceed = make(chan struct{}) }

// goOn ends Proceed's wait. The lock is held.
func (x *Exchange) goOn() {
	if x.proceed != nil {
		close(x.proceed)
		x.proceed = nil
	}
}

// Proceed waits, on the goroutine that sends, until the server has asked for the body with 100 Continue or answered
// otherwise, or sending has been ended, or the time is over, or done is closed. wanted reports whether the body is to be sent:
// not if there is an answer already, or the stream is over.
func (x *Exchange) Proceed(wait time.Duration, done <-chan struct{}) (wanted bool) {
	x.conn.Lock()
	proceed := x.proceed
	x.conn.Unlock()
	if proceed != nil {
		waitFor(proceed, wait, done)
	}
	x.conn.Lock()
	defer x.conn.Unlock()
	return (x.asked || !x.final) && !x.Over()
}

// waitFor waits until either channel is closed, or wait is over.
func waitFor(proceed <-chan struct{}, wait time.Duration, done <-chan struct{}) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-proceed:
	case <-t.C:
	case <-done:
	}
}

// Whole returns all that the response's body is, leased from bufpool, if it has arrived whole.
func (x *Exchange) Whole() (p []byte, ok bool) {
	x.conn.Lock()
	defer x.conn.Unlock()
	return x.TakeWhole()
}

// Cancel resets the stream with a code: whoever reads or sends on it is told err, also who waits to be asked for the body.
// The connection's lock is held.
func (x *Exchange) Cancel(code http2.Code, err error) {
	x.ResetFor(code, err)
	x.goOn()
}

// StopSending ends sending with err, also who waits to be asked for the body. The connection's lock is held.
func (x *Exchange) StopSending(err error) {
	x.Hush(err)
	x.goOn()
}

// SendPart sends p, as Stream.Send does, on the goroutine that sends.
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
		c.speaks = true
		x.SetOut(wire.AppendHeaders(out, x.Wire(), fields, true), true)
		c.speaks = false
	}
	c.Unlock()
	c.speak()
	return err
}

// Leave is called once by each who uses x, and reports whether it was the last: then x can be used for another request. A
// stream that has not ended is reset. also, if not nil, is told the same with the lock held.
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
		c.speaks = true
		free = x.End()
		c.speaks = false
		said = c.Wire().Pending()
		x.conn, x.proceed = nil, nil
		c.noteIdle()
		c.queue.admit(c)
	}
	c.Unlock()
	if said {
		c.speak()
	}
	if free {
		c.Link().EndWork()
	}
	return last
}
