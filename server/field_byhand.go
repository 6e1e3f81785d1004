package server

import (
	"errors"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// handAnswer reads the response that a handler writes to a WebSocket's connection which it has taken over: the bytes of
// HTTP/1.1, in pieces of any size. It gives the response that they are to the stream:
//
//	head ─► 101 ─────────────► open: the bytes behind it belong to the WebSocket
//	 │ ▲──── another 1xx
//	 └────► body ────────────► ended
type handAnswer struct {
	w    ResponseWriter // writes what was read
	head http1.Response
	in   []byte // the head so far, if it has not arrived whole
	body http1.Body
	at   handState
}

type handState uint8

const (
	handHead handState = iota
	handBody           // of a response that is no 101
	handEnded
	handFailed
)

// errHandAnswer is returned for bytes that follow a response which could not be read.
var errHandAnswer = errors.New("server: the response written to the connection is malformed")

func newHandAnswer(x *exchange) *handAnswer {
	a := new(handAnswer)
	a.w.x = x
	a.w.reset()
	return a
}

// write reads p. If open is true, the response was a 101, whose head has been sent, and rest are the bytes behind it. rest
// is a part of p or of memory of a.
func (a *handAnswer) write(p []byte) (rest []byte, open bool, err error) {
	for {
		switch a.at {
		case handFailed:
			return nil, false, errHandAnswer
		case handBody, handEnded:
			return nil, false, a.failWith(a.readBody(p))
		}
		if p, err = a.readHead(p); err != nil {
			return nil, false, a.failWith(err)
		}
		if p == nil || a.w.Committed() {
			return p, a.w.Committed(), nil
		}
	}
}

// failWith notes that the response cannot go on if err is not nil, and returns err.
func (a *handAnswer) failWith(err error) error {
	if err != nil {
		a.at = handFailed
	}
	return err
}

// readHead reads p up to the end of a head, and returns what is behind it, nil if more is to come.
func (a *handAnswer) readHead(p []byte) (rest []byte, err error) {
	if len(a.in) > 0 {
		a.in = append(a.in, p...)
		p = a.in
	}
	n, err := a.head.Parse(p, "GET")
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		a.in = append(a.in[:0], p...)
		return nil, nil
	}
	defer a.head.Reset()
	a.in = nil
	return p[n:], a.answer()
}

// answer gives the response that the head has begun to the stream.
func (a *handAnswer) answer() error {
	h := &a.head
	switch {
	case h.Status == 101:
		a.w.SetStatus(101)
		copyFields(&a.w.header, &h.Header)
		a.w.commit(-1, "")
		err := a.w.send(nil)
		a.w.x.sink.flush() // if the client leaves after this, the next read or write fails, as on a connection
		return err
	case h.Status < 200:
		return a.w.WriteInformational(h.Status, &h.Header)
	}
	a.w.SetStatus(h.Status)
	copyFields(&a.w.header, &h.Header)
	a.body.Start(h.Framing, http1.Limits{})
	a.at = handBody
	return nil
}

func copyFields(to, from *shockwave.Header) {
	for i := range from.Len() {
		to.AddBytes(from.At(i))
	}
}

// readBody reads p as a part of the body, and ends the response with the body. Bytes behind that are dropped: the client of
// HTTP/1.1 would not look at them either.
func (a *handAnswer) readBody(p []byte) error {
	if a.at == handEnded {
		return nil
	}
	for !a.body.Done() {
		data, n, err := a.body.Next(p)
		if err != nil {
			return err
		}
		if len(data) > 0 {
			if _, err := a.w.Write(data); err != nil {
				return err
			}
		}
		if p = p[n:]; n == 0 {
			return a.w.Flush()
		}
	}
	a.at = handEnded
	copyFields(&a.w.trailer, a.body.Trailer())
	return a.w.finish()
}

// end is called when nothing more will be written. It reports whether the response is complete but for the end of its
// stream.
func (a *handAnswer) end() bool {
	return a.at == handEnded || a.at == handBody && a.body.End() == nil
}
