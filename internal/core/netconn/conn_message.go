package netconn

import "github.com/shockwave-go/shockwave/internal/core/clock"

// message says how far a connection has got in its messages.
type message struct {
	turn  turn
	begun clock.Moment // when the first byte that Data has not taken arrived; 0 if all is taken
}

// turn says what the runs of Data since the wait for a message began were for. A run is for a message, unless it calls StayIdle.
//
//	                 run for a message            all is taken
//	     ┌► noMessage ─────────────────► inMessage ───────────► noMessage, and the connection is idle since now
//	run  │      │                         │     ▲
//	begins      │ StayIdle       StayIdle │     │ run begins
//	     │      ▼                         ▼     │
//	     └ onlyStayed             stayedAfterMessage ─────────► noMessage, and the connection is idle since now
type turn uint8

const (
	noMessage          turn = iota // no run was for a message
	onlyStayed                     // the last run called StayIdle, and none was for a message
	inMessage                      // the last run was for a message
	stayedAfterMessage             // the last run called StayIdle, one before was for a message
)

// runBegins is called before each run of Data.
func (t *turn) runBegins() {
	switch *t {
	case onlyStayed:
		*t = noMessage
	case stayedAfterMessage:
		*t = inMessage
	}
}

// stayIdle is called by a run that is not for a message.
func (t *turn) stayIdle() {
	switch *t {
	case noMessage:
		*t = onlyStayed
	case inMessage:
		*t = stayedAfterMessage
	}
}

// runEnds is called after each run of Data.
func (t *turn) runEnds() {
	if *t == noMessage {
		*t = inMessage
	}
}

// stayed reports whether the last run called StayIdle.
func (t turn) stayed() bool { return t == onlyStayed || t == stayedAfterMessage }

// waitBegins is called when all input is taken. It reports whether the wait is a new one.
func (t *turn) waitBegins() (idle bool) {
	if *t < inMessage {
		return false
	}
	*t = noMessage
	return true
}

// useFrequency says how often a connection is used. Waking it from the lot costs more than waking a goroutine, so its
// last use decides how long it keeps its goroutine.
type useFrequency uint8

const (
	neverUsed  useFrequency = iota // no message yet
	usedOnce                       // one message so far
	usedOften                      // the last message came within IdlePark of the one before
	usedRarely                     // it came later; the next is expected to, as well
)

// quickParkShare is the share of IdlePark after which a connection parks if it is not known to be used often.
const quickParkShare = 200

// noteMessage updates h for a message that arrived after the connection was idle for the time idle; park is IdlePark.
// Input that comes while work goes on belongs to the message that has begun the work.
func (h *useFrequency) noteMessage(idle, park int64) {
	switch {
	case *h == neverUsed:
		*h = usedOnce
	case idle < park:
		*h = usedOften
	default:
		*h = usedRarely
	}
}

// parkAfter returns how long an idle connection keeps its goroutine, 0 for ever.
func (h useFrequency) parkAfter(park int64) int64 {
	if park == 0 || h == usedOften {
		return park
	}
	return max(park/quickParkShare, 1)
}

// nextPark returns when to try to park next, 0 for never: parkAfter after the wait began, and then each time after the
// same interval, so that a connection which cannot park does not try at every tick.
func (h useFrequency) nextPark(now, idleSince clock.Moment, park int64) clock.Moment {
	if park = h.parkAfter(park); park == 0 {
		return 0
	}
	at := idleSince + park
	if at <= now {
		at += (now-at)/park*park + park
	}
	return at
}
