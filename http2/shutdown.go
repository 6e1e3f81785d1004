package http2

// shutdown is how far the orderly end of a connection is (RFC 9113 §6.8).
type shutdown struct {
	stage    shutdownStage
	peerGone bool   // the peer has sent GOAWAY
	peerLast uint32 // the last stream of the peer's GOAWAY, or maxStreamID
	due      int64  // when Shutdown goes on without an answer to its PING; 0 is never
}

type shutdownStage uint8

const (
	notShutting   shutdownStage = iota
	announcedLast               // the first GOAWAY was sent, which allows all streams
	namedLast                   // the last stream was named to the peer
)

// drainAfter is how long Shutdown waits for the peer to have received its first GOAWAY, in nanoseconds.
const drainAfter = 1 * second

// closing reports whether no more streams may be opened by a client.
func (b *shutdown) closing() bool { return b.peerGone || b.stage != notShutting }

// startShutdown is the first step of Shutdown.
func (k *core) startShutdown() {
	if k.err != nil || k.bye.stage != notShutting {
		return
	}
	if k.client {
		k.nameLast()
		return
	}
	k.bye.stage = announcedLast
	k.out = appendGoAway(k.out, maxStreamID, ErrCodeNo, "")
	k.out = appendPing(k.out, 0, pingDrain)
	k.bye.due = k.now + drainAfter
}

// nameLast is the second step of Shutdown.
func (k *core) nameLast() {
	k.bye.due = 0
	k.bye.stage = namedLast
	k.out = appendGoAway(k.out, k.accepted, ErrCodeNo, "")
}

// drained reports whether the connection has nothing left to do.
func (k *core) drained() bool {
	if k.err != nil {
		return true
	}
	over := k.bye.stage == namedLast || k.client && k.bye.peerGone
	n := &k.streams.counts
	return over && n[tallyActive] == 0 && n[tallyExcluded] == 0
}

// excludeAbove ends our streams above the last one of the peer's GOAWAY, on which it has not worked.
func (k *core) excludeAbove(last uint32) {
	k.streams.each(func(s *Stream) bool {
		if s.id > last && !s.phase.closed() && s.phase != phaseIdle {
			k.close(s, phaseExcluded, endReset)
		}
		return true
	})
}

// nextExcluded returns the EventReset of such a stream, and reports whether there was one.
func (k *core) nextExcluded(ev *Event) bool {
	k.streams.each(func(s *Stream) bool {
		if s.phase != phaseExcluded {
			return true
		}
		k.streams.enter(s, phaseReset)
		*ev = Event{Kind: EventReset, Stream: s, Code: ErrCodeRefusedStream, Err: ErrUnprocessed}
		return false
	})
	return ev.Kind != EventNone
}
