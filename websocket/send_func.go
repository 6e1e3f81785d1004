package websocket

import "github.com/shockwave-go/shockwave/internal/bufpool"

// SendFunc is Send that tells what has become of the message: done is called once, on a goroutine of its own, with nil when
// the message has left for the network. That the peer has it only the peer can tell. Else it is called with an error:
// ErrDropped if Config.Slow had it dropped, or why nothing can be sent any more. Whoever wants no more than so many
// messages under way sends the next one then.
func (c *Conn) SendFunc(t MessageType, p []byte, done func(err error)) {
	frame, err := c.frameOf(t, p)
	if err != nil {
		go done(err)
		return
	}
	var refused error
	shared := bufpool.ShareFunc(frame, func(sent bool) {
		go func() { done(c.fate(sent, refused)) }()
	})
	refused = c.post(parcel{shared: shared.Retain()}, true)
	shared.Release()
}

// fate returns what has become of a message that nobody holds any more.
func (c *Conn) fate(sent bool, refused error) error {
	if sent {
		return nil
	}
	for _, err := range []error{refused, writeError(c.t.WriteError()), c.Err()} {
		if err != nil {
			return err
		}
	}
	return ErrDropped
}
