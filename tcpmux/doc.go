// Package tcpmux carries many channels of messages over one TCP or TLS connection, and loses no message when the connection
// breaks: the dialling side reconnects, both sides continue where the other has stopped receiving, and every message is
// delivered exactly once, whole, and in the order of its channel.
//
//	s, err := tcpmux.Dial(ctx, "tcp://localhost:7000", tcpmux.Config{})
//	ch, err := s.Open("orders")
//	err = ch.Send(ctx, []byte("one apple"))
//	answer, err := ch.Receive(ctx)
//
// A Session connects two processes; a TCP connection only carries it for a while and may be replaced by another. A Channel
// is one conversation of messages within a session, opened by name from either side. A message that is slow, large or not
// received delays only its own channel.
//
// While a session lives, a message for which Send has returned nil is delivered exactly once, over any number of broken
// connections. A session ends when one side closes it, when it could not be resumed within Config.ResumeTimeout, or when one of
// the processes ends. Channel.Acked returns how many messages the peer's session has received: no broken connection can lose
// those, but a crash of the peer can. Only an answer of the peer's program can confirm that a message was processed.
//
// Client and Server start a session on a connection of the program's own, which ends with that connection.
//
// [The wire] is specified.
//
// [The wire]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/tcpmux.md
package tcpmux
