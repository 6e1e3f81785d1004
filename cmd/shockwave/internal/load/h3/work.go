package h3

import (
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// work sends requests, one after the other, until the connection ends.
func (c *conn) work() {
	defer c.leave()
	x := exchange{conn: c, in: make([]byte, 0, bufferSize)}
	for {
		st, err := c.quic.OpenStreamSync(c.quic.Context())
		if err != nil {
			return
		}
		var ok bool
		if x.sent, x.turn, ok = c.next(); !ok {
			st.CancelWrite(quic.StreamErrorCode(h3frame.RequestCancelled))
			st.CancelRead(quic.StreamErrorCode(h3frame.RequestCancelled))
			return
		}
		x.run(st)
	}
}

// leave is called when a worker returns. The last one ends the connection.
func (c *conn) leave() {
	c.slot.Lock()
	c.workers--
	last := c.workers == 0
	c.slot.Unlock()
	if !last {
		return
	}
	c.end(h3frame.NoError)
	c.forget()
	c.slot.Lock()
	defer c.slot.Unlock()
	if !c.slot.Over() && c.left == 0 && !c.broken {
		c.slot.Tally().Reconnects++
	}
	c.slot.Ended(false)
}

// run sends the request on st, reads the response and counts it.
func (x *exchange) run(st *quic.Stream) {
	st.SetDeadline(time.Now().Add(x.conn.slot.Timeout()))
	x.in, x.eof, x.begun, x.pieces, x.status, x.length = x.in[:0], false, 0, 0, 0, 0
	x.frames.Reset(sectionLimit)
	x.decoder.MaxListBytes, x.decoder.MaxFields = sectionLimit, 10_000
	written := x.write(st)
	err := x.read(st)
	if err != nil {
		st.CancelRead(quic.StreamErrorCode(h3frame.RequestCancelled))
		st.CancelWrite(quic.StreamErrorCode(h3frame.RequestCancelled))
	}
	if written != nil {
		st.SetWriteDeadline(time.Unix(1, 0)) // what the server did not want is not sent
		<-written
	}
	x.count(err)
}
