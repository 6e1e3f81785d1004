package load

import "bytes"

// comparison holds what comes back against what was sent, message by message, in whatever pieces it comes.
type comparison struct {
	msg    *message
	turn   int  // which of the messages comes next
	length int  // of the message in hand, so far
	other  bool // it is not the one that was sent
}

// piece compares the next bytes of a message.
func (c *comparison) piece(p []byte) {
	want, end := c.msg.payloads[c.turn], c.length+len(p)
	c.other = c.other || end <= len(want) && !bytes.Equal(p, want[c.length:end])
	c.length = end
}

// settle accounts for a whole message.
func (c *comparison) settle(s *seat, now int64) {
	var wrong *int64
	switch errors := &s.shard.now.errors; {
	case c.length != len(c.msg.payloads[c.turn]):
		wrong = &errors.Length
	case c.other:
		wrong = &errors.Content
	}
	s.settle(now, wrong)
	c.next()
}

// next makes ready for the next message.
func (c *comparison) next() {
	c.turn = c.msg.turns.after(c.turn, 1)
	c.length, c.other = 0, false
}
