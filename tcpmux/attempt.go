package tcpmux

import (
	"context"
	"sync/atomic"
	"time"
)

// maxAttempts is how many attempts to reconnect run at once. While the network is down an attempt gets no answer, and it may
// take seconds to notice that the network is back, so further attempts are started beside it. When there are maxAttempts,
// the oldest one without a connection is cancelled. An attempt that has a connection is not cancelled, and while there are
// maxConnected of these no other is started.
const (
	maxAttempts  = 4
	maxConnected = 2
)

// attempt is one attempt to reconnect.
type attempt struct {
	*attemptSlots
	stop      context.CancelFunc
	connected atomic.Bool // it has a connection
}

// setConnected notes that the attempt has a connection: the next attempt is delayed so that the peer has time to answer.
func (x *attempt) setConnected() {
	x.connected.Store(true)
	select {
	case x.progress <- struct{}{}:
	default:
	}
}

func (x *attempt) isConnected() bool { return x.connected.Load() }

// attemptSlots are shared by the attempts after one outage. Each slot is held by one attempt at a time.
type attemptSlots struct {
	// proving is held while an attempt sends its proof. Otherwise each attempt would take away the connection of the one
	// before.
	proving chan struct{}
	// fullTimeout is held by the one attempt that waits for an answer until HandshakeTimeout is over. A listener to which thousands
	// of sessions reconnect at once answers late, and later still if all of them give up and ask again. The other attempts
	// use the short answerTimeout, in case only the first one was cut off.
	fullTimeout chan struct{}

	progress chan struct{} // receives when an attempt has a connection
}

func newAttemptSlots() *attemptSlots {
	return &attemptSlots{make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)}
}

// answerTimeout is how long an attempt that began at the given time, and has just heard from the peer, waits for the
// next answer.
func answerTimeout(begun time.Time) time.Duration { return 2*time.Since(begun) + minAnswerTime }

// minAnswerTime is the least time that the peer is given to answer.
const minAnswerTime = 500 * time.Millisecond

// mayStartAttempt reports whether another attempt may start. If the limit is reached, it cancels the oldest attempt that has
// no connection.
func mayStartAttempt(running []*attempt) bool {
	connected, oldest := 0, (*attempt)(nil)
	for _, x := range running {
		if x.isConnected() {
			connected++
		} else if oldest == nil {
			oldest = x
		}
	}
	switch {
	case connected >= maxConnected:
		return false
	case len(running) < maxAttempts:
		return true
	}
	oldest.stop()
	return false
}
