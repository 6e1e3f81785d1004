package message

import (
	"bytes"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
)

// comparison compares echoes with the messages that were sent. An echo may arrive in any number of pieces.
type comparison struct {
	msg     *messages
	turn    int  // index of the message that comes back next
	length  int  // bytes of the current message so far
	differs bool // the current message differs from the one that was sent
}

// piece compares the next bytes of a message.
func (c *comparison) piece(p []byte) {
	want, end := c.msg.payloads[c.turn], c.length+len(p)
	c.differs = c.differs || end <= len(want) && !bytes.Equal(p, want[c.length:end])
	c.length = end
}

// settle counts a complete message and prepares for the next one.
func (c *comparison) settle(conn *pipeline.Conn, now int64) {
	var wrong *int64
	switch errors := &conn.Slot().Tally().Errors; {
	case c.length != len(c.msg.payloads[c.turn]):
		wrong = &errors.Length
	case c.differs:
		wrong = &errors.Content
	}
	conn.Settle(now, wrong)
	c.next()
}

// next prepares for the next message.
func (c *comparison) next() {
	c.turn = c.msg.turns.After(c.turn, 1)
	c.length, c.differs = 0, false
}
