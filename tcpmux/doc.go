// Package tcpmux carries many channels of messages over one TCP or TLS connection, and loses nothing when that breaks: the
// dialling side connects again, both sides go on where the other has stopped receiving, and every message is delivered
// exactly once, in the order of its channel, whole.
//
//	s, err := tcpmux.Dial(ctx, "tcp://localhost:7000", tcpmux.Config{})
//	ch, err := s.Open("orders")
//	err = ch.Send(ctx, []byte("one apple"))
//	answer, err := ch.Receive(ctx)
//
// A Session is what two processes have in common; a connection is only what carries it at the moment. A Channel is one
// conversation of messages within a session, opened by its name from either side. A message that is slow, large or not
// wanted holds up its own channel and no other.
//
// How much is promised: while a session lives, a message that Send has taken is delivered exactly once, over any number of
// broken connections. A session ends when one side closes it, when the sides have not found each other again within
// Config.ResumeTime, or when one of the processes is gone. Channel.Acked tells how many messages the peer's session holds:
// no broken connection can lose those, though a peer that crashes can. What the peer's program has done with a message only
// an answer of its own can tell.
//
// The wire is described in docs/wire/tcpmux.md.
package tcpmux
