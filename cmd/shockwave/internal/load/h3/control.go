package h3

import (
	"context"
	"io"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// awaitGoAway waits for a GOAWAY that may be on its way: streams arrive in any order.
func (c *conn) awaitGoAway() {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-c.told:
	case <-c.quic.Context().Done():
	case <-timer.C:
	}
}

// giveBack treats a request as not sent, because the server has not processed it (RFC 9114 §5.2). The slot's lock is held.
func (c *conn) giveBack(x *exchange) {
	c.slot.GiveBack(1, x.turn)
	c.may.Broadcast()
}

// readControl reads what the server says on streams of its own, until the connection ends.
func (c *conn) readControl() {
	stop := context.AfterFunc(c.quic.Context(), c.noteEnd)
	defer stop()
	if st, err := c.quic.OpenUniStream(); err == nil {
		st.Write(h3frame.AppendSettings([]byte{byte(h3frame.ControlStream)}))
	}
	for {
		st, err := c.quic.AcceptUniStream(c.quic.Context())
		if err != nil {
			c.noteEnd()
			return
		}
		c.slot.Go(func() { c.readStream(st) })
	}
}

// readStream reads a unidirectional stream of the server. Only its control stream means anything.
func (c *conn) readStream(st *quic.ReceiveStream) {
	control := h3frame.Control{Server: true}
	buf, n := make([]byte, 512), 0
	isControl := false
	for {
		k, err := st.Read(buf[n:])
		n += k
		if !isControl && n > 0 {
			kind, size := h3frame.Varint(buf[:n])
			if size > 0 && h3frame.StreamType(kind) != h3frame.ControlStream {
				io.Copy(io.Discard, st)
				return
			}
			if isControl = size > 0; isControl {
				n = copy(buf, buf[size:n])
			}
		}
		if isControl {
			wrong := control.Read(buf[:n], c.event)
			if n = 0; wrong != nil {
				c.broke(wrong)
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// event handles what the control stream has brought.
func (c *conn) event(ev *h3frame.Event) {
	if ev.Type != h3frame.GoAway {
		return
	}
	c.slot.Lock()
	defer c.slot.Unlock()
	if !c.goingAway {
		close(c.told)
		c.slot.Tally().Streams.GoAway("H3_NO_ERROR", nil)
	}
	c.goingAway = true
	c.may.Broadcast()
}

// broke ends the connection, because the server broke a rule.
func (c *conn) broke(wrong *h3frame.Error) {
	c.slot.Lock()
	c.broken, c.blame = true, c.used > 0
	if !c.blame {
		c.slot.Tally().Errors.Protocol++
	}
	c.slot.Tally().Streams.NoteFault(wrong)
	c.slot.Unlock()
	c.end(wrong.Code)
}
