package http3

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// quietStreams are unidirectional streams of a client's that have no goroutine, because hardly anything comes on them: those of QPACK,
// whose instructions mean nothing without a dynamic table, and the control stream of a connection that is idle. They are looked at now
// and then; streams that come behind the control stream are accepted then, too. What breaks a rule there does no harm before.
//
//	accept ─► a type ─┬► QPACK ───────────────────────► quiet: look, look, …
//	                  └► control ─► readOn ── rest ───► quiet
//	                                  ▲                   │
//	                                  └─── wake, for a request
type quietStreams struct {
	all     *peerStreams
	settled context.Context // ends when the control stream has come: then it is look that accepts streams
	settle  context.CancelFunc

	mu      sync.Mutex
	streams []*uniStream // that are looked at
	control *uniStream   // nil before it has come
	rests   bool         // the control stream is among streams, or will be as soon as the goroutine that has it gives it back
	wanted  bool         // then it is to be read on
}

func newQuietStreams(all *peerStreams) *quietStreams {
	q := &quietStreams{all: all}
	q.settled, q.settle = context.WithCancel(context.Background())
	return q
}

// hasControl is called when the control stream has come.
func (q *quietStreams) hasControl(s *uniStream) {
	q.mu.Lock()
	q.control = s
	q.mu.Unlock()
	q.settle()
}

// add adds a stream that no goroutine has any more.
func (q *quietStreams) add(s *uniStream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s == q.control && q.wanted {
		q.readOn()
	} else {
		q.streams = append(q.streams, s)
	}
}

// rest takes the goroutine of the control stream away.
func (q *quietStreams) rest() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.control != nil && !q.rests {
		q.rests = true
		q.control.u.interrupt()
	}
}

// wake gives the control stream a goroutine again: what it brings is about requests.
func (q *quietStreams) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.rests {
		return
	}
	if i := slices.Index(q.streams, q.control); i >= 0 {
		q.streams = slices.Delete(q.streams, i, i+1)
		q.readOn()
	} else {
		q.wanted = true
	}
}

// readOn reads the control stream on a goroutine. The caller must hold the lock.
func (q *quietStreams) readOn() {
	q.rests, q.wanted = false, false
	q.control.u.readAgain()
	go q.all.readOn(q.control, make([]byte, uniBuffer))
}

// look accepts the streams, and reads the bytes, that there are. One goroutine at a time may call it.
func (q *quietStreams) look() {
	if q.settled.Err() != nil {
		q.all.accept(q.settled)
	}
	q.mu.Lock()
	streams := q.streams
	q.streams = nil
	q.mu.Unlock()
	buf := make([]byte, uniBuffer)
	for _, s := range streams {
		if !q.read(s, buf) {
			return // the connection has ended
		}
		q.add(s)
	}
}

// read reads what there is of a stream. It returns false if the connection has ended.
func (q *quietStreams) read(s *uniStream, buf []byte) bool {
	for {
		n, err := s.u.readNow(buf)
		if err != nil && wasInterrupted(err) {
			return q.all.tell(s, buf[:n])
		}
		if !q.all.took(s, buf[:n], err) {
			return false
		}
	}
}

// looks says when a connection's quiet streams are looked at: more often while something comes. conn.mu guards it.
type looks struct {
	at    clock.Moment // of the next one; 0 while one is under way
	gap   time.Duration
	came  uint64 // packets, at the last one
	rests bool   // the control stream has no goroutine
}

const (
	firstLook    = 100 * time.Millisecond // behind the handshake, when the streams come
	shortestLook = time.Second
	longestLook  = time.Minute
	restAfter    = 2 * time.Second // how long a connection has been idle when its control stream becomes a quiet one
)

// armLook has the quiet streams looked at after a time. The caller must hold the lock.
func (k *conn) armLook(after time.Duration) {
	k.looks.at = clock.After(k.s.clock.Now(), after)
	k.s.clock.Arm(k, k.looks.at)
}

// look looks at the quiet streams.
func (k *conn) look() {
	k.uni.quiet.look()
	came := k.qc.traffic().came
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return
	}
	l := &k.looks
	if came == l.came {
		l.gap = min(2*l.gap, longestLook)
	} else {
		l.gap = max(l.gap/2, shortestLook)
	}
	l.came = came
	if since := k.idleSince; since > 0 && !l.rests && clock.After(since, restAfter) <= k.s.clock.Now() {
		l.rests = true
		k.uni.quiet.rest()
	}
	k.armLook(l.gap)
}
