package unistream

import (
	"context"
	"slices"
	"sync"
)

// Quiet holds unidirectional streams of a client that have no goroutine, because hardly anything arrives on them: those of QPACK,
// whose instructions mean nothing without a dynamic table, and the control stream of a connection that is idle. They are read now and
// then; streams that arrive after the control stream are accepted then, too. A broken rule there does no harm before it is noticed.
//
//	accept ─► a type ─┬► QPACK ───────────────────────► quiet: look, look, …
//	                  └► control ─► readOn ── rest ───► quiet
//	                                  ▲                   │
//	                                  └─── wake, for a request
type Quiet struct {
	accept  func(ctx context.Context) // Streams.Accept
	settled context.Context           // ends when the control stream has come: then it is Look that accepts streams
	settle  context.CancelFunc

	mu      sync.Mutex
	streams []*stream // that are looked at
	control *stream   // nil before it has come
	reading reading
}

// bufferSize is how many bytes of such a stream are read at once: there is little to read, as long as the connection lasts.
const bufferSize = 256

// reading says how the control stream is read.
type reading uint8

const (
	byGoroutine reading = iota
	byLooks             // it is among streams, or will be as soon as the goroutine that has it gives it back
	wanted              // the goroutine has not given it back, and is to read on
)

func newQuiet(accept func(ctx context.Context)) *Quiet {
	q := &Quiet{accept: accept}
	q.settled, q.settle = context.WithCancel(context.Background())
	return q
}

// hasControl is called when the control stream has arrived.
func (q *Quiet) hasControl(s *stream) {
	q.mu.Lock()
	q.control = s
	q.mu.Unlock()
	q.settle()
}

// add adds a stream that no goroutine reads any more.
func (q *Quiet) add(s *stream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s == q.control && q.reading == wanted {
		q.readOnLocked()
	} else {
		q.streams = append(q.streams, s)
	}
}

// Rest takes the goroutine of the control stream away.
func (q *Quiet) Rest() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.control != nil && q.reading == byGoroutine {
		q.reading = byLooks
		q.control.u.Interrupt()
	}
}

// Wake gives the control stream a goroutine again, because its frames are about requests.
func (q *Quiet) Wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.reading == byGoroutine {
		return
	}
	if i := slices.Index(q.streams, q.control); i >= 0 {
		q.streams = slices.Delete(q.streams, i, i+1)
		q.readOnLocked()
	} else {
		q.reading = wanted
	}
}

// readOnLocked reads the control stream on a goroutine.
func (q *Quiet) readOnLocked() {
	q.reading = byGoroutine
	q.control.u.ReadAgain()
	go q.readControl(q.control, make([]byte, bufferSize))
}

// Look accepts the streams and reads the bytes that have arrived. One goroutine at a time may call it.
func (q *Quiet) Look() {
	if q.settled.Err() != nil {
		q.accept(q.settled)
	}
	q.mu.Lock()
	streams := q.streams
	q.streams = nil
	q.mu.Unlock()
	buf := make([]byte, bufferSize)
	for _, s := range streams {
		if !s.readNow(buf) {
			return // the connection has ended
		}
		q.add(s)
	}
}

// readControl reads the control stream until it becomes a quiet one.
func (q *Quiet) readControl(s *stream, buf []byte) {
	if s.readOn(buf) {
		q.add(s)
	}
}

// Settled returns a context that ends when the control stream has arrived: until then Accept accepts streams, and afterwards Look
// does.
func (q *Quiet) Settled() context.Context { return q.settled }
