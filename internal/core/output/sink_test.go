package output_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// sink takes the flights of a queue, as a connection does: a script says how much. It keeps every byte, and a log line
// for each call. It fails the test if two flights are out at once, if a flight is handed out while another is left, and
// if bytes change while they are being sent.
type sink struct {
	t testing.TB
	q *output.Queue

	source output.Source // the source that is passed to Draw, if there is no lender
	lender output.Lender

	mu       sync.Mutex
	flying   bool // there is a flusher
	got      []byte
	log      []string
	takes    []int         // how many bytes the next tries take; later tries take everything
	keeps    bool          // the next try takes everything but has not yet sent it, as with TLS
	err      error         // the error of the next flight
	sendGate chan struct{} // a flusher that may wait waits until it is closed; nil: it does not wait
	tryGate  chan struct{} // the same for a flusher that may not wait, so that something can happen meanwhile
	deaf     bool          // nothing reports room: a goroutine must wait
	parked   bool          // a flight was left and not resumed
	broken   int           // how many flights broke the queue
	slices   [][]byte      // everything that it ever got
}

// manner is how a flusher sends.
type manner uint8

const (
	waiting manner = iota // until the flight has left
	latched               // as waiting, and then also what follows
	trying                // what the sink takes at once
)

// flush does with f, which may be nil, what a connection does: it sends f and then what was appended meanwhile.
func (s *sink) flush(f *output.Flight, how manner) (err error) {
	for f != nil {
		s.takeOff(f)
		left, err := s.send(f, how)
		if left {
			s.leave(f)
			return nil
		}
		if f, err = s.finished(f, err); f == nil {
			return err
		}
		if how == waiting {
			how = trying
		}
	}
	return nil
}

// takeOff notes that a goroutine has got f.
func (s *sink) takeOff(f *output.Flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying {
		s.t.Error("two flushers at once")
	}
	if s.parked {
		s.t.Error("a flight while another one is left")
	}
	s.flying = true
}

// send sends f. Between the gate and its end s.mu is held.
func (s *sink) send(f *output.Flight, how manner) (left bool, err error) {
	words, gate := "try ", &s.tryGate
	if how != trying {
		words, gate = "send ", &s.sendGate
	}
	if f.Last {
		words += "last "
	}
	content := contentOf(&f.Batch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, words+brief(content))
	s.slices = append(append(s.slices, f.A, f.B), f.More...)
	if g := *gate; g != nil {
		s.mu.Unlock()
		<-g
		s.mu.Lock()
	}
	if contentOf(&f.Batch) != content {
		s.t.Error("bytes changed while they were being sent")
	}
	if err, s.err = s.err, nil; err != nil {
		return false, err
	}
	n := len(content)
	if how == trying && len(s.takes) > 0 {
		n, s.takes = min(n, s.takes[0]), s.takes[1:]
	}
	if n < len(content) {
		s.log[len(s.log)-1] += fmt.Sprint(" took ", n)
	}
	s.take(&f.Batch, n)
	left = n < len(content) || how == trying && s.keeps
	s.keeps = s.keeps && how != trying
	return left, nil
}

// take takes n bytes of b.
func (s *sink) take(b *transport.Batch, n int) {
	for n > 0 && !b.Empty() {
		k := min(n, len(b.A))
		s.got = append(s.got, b.A[:k]...)
		b.A, n = b.A[k:], n-k
	}
}

// finished reports the result of sending f to the queue; f is nil after Exclude.
func (s *sink) finished(f *output.Flight, failure error) (*output.Flight, error) {
	s.mu.Lock()
	s.flying = false
	s.mu.Unlock()
	next, broke, err := s.q.Finished(f, failure)
	if broke {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log = append(s.log, "broke")
		if s.broken++; s.broken > 1 {
			s.t.Error("the queue broke twice")
		}
	}
	return next, err
}

// leave leaves f until resume, or to a goroutine that waits for room.
func (s *sink) leave(f *output.Flight) {
	s.mu.Lock()
	s.flying, s.parked = false, true
	s.log = append(s.log, "leave")
	deaf := s.deaf
	s.mu.Unlock()
	s.q.Leave(f)
	if !deaf && s.q.Left() {
		return
	}
	if f := s.resumed(); f != nil {
		go s.flush(f, waiting)
	}
}

func (s *sink) resumed() *output.Flight {
	s.mu.Lock()
	s.parked = false
	s.mu.Unlock()
	return s.q.Resume()
}

// resume does what happens when the peer takes more.
func (s *sink) resume() { s.flush(s.resumed(), trying) }

// Write appends a and b and sends what is pending.
func (s *sink) Write(ctx context.Context, u output.Unit, a, b []byte) (held bool, err error) {
	for {
		f, held, err := s.q.Write(ctx, u, a, b)
		if held && (f != nil || err != nil) {
			s.t.Errorf("a unit is held, and there is a flight or an error (%v)", err)
		}
		if f == nil {
			return held, err
		}
		if ferr := s.flush(f, waiting); err != output.ErrAgain {
			return held, ferr
		}
	}
}

// Post appends p if there is room.
func (s *sink) Post(u output.Unit, p []byte) (ok, held bool, err error) {
	return s.posting(func() (*output.Flight, bool, bool, error) { return s.q.Post(u, p) })
}

// PostShared appends p if there is room.
func (s *sink) PostShared(u output.Unit, p *bufpool.Shared) (ok, held bool, err error) {
	return s.posting(func() (*output.Flight, bool, bool, error) { return s.q.PostShared(u, p) })
}

func (s *sink) posting(post func() (*output.Flight, bool, bool, error)) (ok, held bool, err error) {
	for {
		f, ok, held, err := post()
		if f == nil {
			return ok, held, err
		}
		if err == output.ErrAgain && (ok || held) {
			s.t.Errorf("a unit that is to be posted again: accepted %v, held %v", ok, held)
		}
		if ferr := s.flush(f, trying); err != output.ErrAgain {
			return ok && ferr == nil, held, ferr
		}
	}
}

// until calls next and sends what it returns until it returns nothing.
func (s *sink) until(next func() (*output.Flight, error), how manner) error {
	for {
		f, err := next()
		if f == nil {
			return err
		}
		s.flush(f, how)
	}
}

// flushOr is flush for calls that return an error instead of a flight.
func (s *sink) flushOr(f *output.Flight, err error, how manner) error {
	if f == nil {
		return err
	}
	return s.flush(f, how)
}

func (s *sink) Flush() error { return s.until(s.q.Drain, waiting) }
func (s *sink) End() error   { return s.until(s.q.End, latched) }
func (s *sink) Seal(err error) error {
	return s.until(func() (*output.Flight, error) { return s.q.Seal(err) }, waiting)
}
func (s *sink) ReleaseFlush() error {
	f, err := s.q.ReleaseTake()
	return s.flushOr(f, err, latched)
}
func (s *sink) Take() error {
	f, err := s.q.Take()
	return s.flushOr(f, err, trying)
}
func (s *sink) TakeNone() { s.flush(s.q.TakeNone(), trying) }
func (s *sink) EndTick() {
	if s.q.EndTick() {
		s.Take()
	}
}
func (s *sink) Draw() {
	if s.lender != nil {
		s.flush(s.q.DrawLent(s.lender), trying)
		return
	}
	s.flush(s.q.Draw(s.source), trying)
}

// from makes Draw pass s.
func (s *sink) from(source output.Source) { s.source = source }

// Exclude drains the queue and lets the flusher call send; failure says what an error of send means for the queue.
func (s *sink) Exclude(send func() (err, failure error)) error {
	if err := s.until(s.q.Exclude, waiting); err != nil {
		return err
	}
	s.takeOff(nil)
	err, failure := send()
	f, _ := s.finished(nil, failure)
	s.flush(f, trying)
	return err
}

// TrimIdle reports whether the queue rests; trim must be called then, and only then, with the queue locked.
func (s *sink) TrimIdle() bool {
	trimmed := 0
	rests := s.q.TrimIdle(func() {
		trimmed++
		if !s.q.Locked() {
			s.t.Error("trim without the queue's lock: a goroutine may become the flusher")
		}
	})
	if rests != (trimmed == 1) {
		s.t.Errorf("TrimIdle returned %v and called trim %d times", rests, trimmed)
	}
	return rests
}

// contentOf returns what b would send, in order.
func contentOf(b *transport.Batch) string {
	var all strings.Builder
	all.Write(b.A)
	all.Write(b.B)
	for _, p := range b.More {
		all.Write(p)
	}
	return all.String()
}

// brief is the form of content in a log.
func brief(content string) string {
	if len(content) > 100 {
		return fmt.Sprintf("%d bytes", len(content))
	}
	return fmt.Sprintf("%q", content)
}

// talk is a conversation with a queue. Its methods say what is done and what the result must be.
type talk struct {
	*testing.T
	q    *output.Queue
	sink *sink
	seen int // how much of the sink's log was already checked
}

const testBound = 64

// newTalk is for tests in which no call waits.
func newTalk(t *testing.T) *talk {
	q := output.WithBound(testBound)
	return &talk{T: t, q: q, sink: &sink{t: t, q: q}}
}

// inBubble is for tests in which calls wait: synctest reports when all other goroutines wait, and when they wait for
// ever.
func inBubble(t *testing.T, f func(t *testing.T, c *talk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newTalk(t)) })
}

// wantSent checks the sink's log since the last call.
func (c *talk) wantSent(why string, lines ...string) {
	c.Helper()
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	log := c.sink.log[c.seen:]
	c.seen = len(c.sink.log)
	if !slices.Equal(log, lines) {
		c.Errorf("%s:\n got  %s\n want %s", why, strings.Join(log, " | "), strings.Join(lines, " | "))
	}
}

// wantGot checks everything that the peer has got.
func (c *talk) wantGot(why, want string) {
	c.Helper()
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	if string(c.sink.got) != want {
		c.Errorf("%s: the peer got %s, want %s", why, brief(string(c.sink.got)), brief(want))
	}
}

// wantErr checks err.
func (c *talk) wantErr(why string, err, want error) {
	c.Helper()
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		c.Errorf("%s: error %v, want %v", why, err, want)
	}
}

// want checks a bool.
func (c *talk) want(why string, got, want bool) {
	c.Helper()
	if got != want {
		c.Errorf("%s: %v, want %v", why, got, want)
	}
}

// wantPending checks how many bytes wait for the flusher.
func (c *talk) wantPending(why string, want int) {
	c.Helper()
	if n := c.q.Pending(); n != want {
		c.Errorf("%s: %d bytes are pending, want %d", why, n, want)
	}
}

// write writes a small unit; it must not wait and not fail.
func (c *talk) write(p string) (held bool) {
	c.Helper()
	held, err := c.sink.Write(context.Background(), output.Whole, []byte(p), nil)
	c.wantErr("write of "+brief(p), err, nil)
	return held
}

// post posts units; each must be accepted.
func (c *talk) post(u output.Unit, units ...string) {
	c.Helper()
	for _, p := range units {
		ok, _, err := c.sink.Post(u, []byte(p))
		c.want("post of "+brief(p), ok, true)
		c.wantErr("post of "+brief(p), err, nil)
	}
}

// refused posts a unit that must be refused: there is no room, or it is not its turn.
func (c *talk) refused(why string, u output.Unit, p string) {
	c.Helper()
	ok, _, err := c.sink.Post(u, []byte(p))
	c.want("post "+why, ok, false)
	c.wantErr("post "+why, err, nil)
}

// refusedWith posts a unit, which must fail with want.
func (c *talk) refusedWith(why string, want error) {
	c.Helper()
	for _, u := range []output.Unit{output.Whole, output.Part, output.Final} {
		ok, _, err := c.sink.Post(u, []byte("no"))
		c.want("post "+why, ok, false)
		c.wantErr("post "+why, err, want)
	}
	_, err := c.sink.Write(context.Background(), output.Whole, []byte("no"), nil)
	c.wantErr("write "+why, err, want)
	c.wantErr("BeginParts "+why, c.q.BeginParts(context.Background(), 1), want)
}

// shared returns a shared slice that the caller holds.
func shared(p string) *bufpool.Shared { return bufpool.Share(append(bufpool.Get(len(p))[:0], p...)) }

// share posts a shared unit, which must be accepted, and returns it; the caller still holds it.
func (c *talk) share(u output.Unit, p string) *bufpool.Shared {
	c.Helper()
	s := shared(p)
	ok, _, err := c.sink.PostShared(u, s)
	c.want("post of shared "+brief(p), ok, true)
	c.wantErr("post of shared "+brief(p), err, nil)
	return s
}

// busy keeps another goroutine's write of p within the sink until the returned function is called. Only in a bubble.
func (c *talk) busy(p string) (free func()) {
	c.Helper()
	gate := make(chan struct{})
	c.sink.mu.Lock()
	c.sink.sendGate = gate
	c.sink.mu.Unlock()
	w := c.start(func() error {
		_, err := c.sink.Write(context.Background(), output.Part, []byte(p), nil)
		return err
	})
	c.wantSent("the other's write", "send "+brief(p))
	c.sink.mu.Lock()
	c.sink.sendGate = nil
	c.sink.mu.Unlock()
	return func() {
		c.Helper()
		close(gate)
		synctest.Wait()
		if !w.done.Load() {
			c.Error("the other's write did not return")
		}
	}
}

// park leaves rest to the sink, which has taken sent.
func (c *talk) park(sent, rest string) {
	c.Helper()
	c.sink.takes = append(c.sink.takes, len(sent))
	c.post(output.Part, sent+rest)
	c.want("is something left to the sink", c.q.Left(), true)
	c.wantSent("what the sink took", fmt.Sprintf("try %s took %d", brief(sent+rest), len(sent)), "leave")
}

// call is a call that may have to wait.
type call struct {
	c    *talk
	done atomic.Bool
	err  error // set when it is done
}

// start runs f on a goroutine of its own until it is done or waits. Only in a bubble.
func (c *talk) start(f func() error) *call {
	w := &call{c: c}
	go func() {
		w.err = f()
		w.done.Store(true)
	}()
	synctest.Wait()
	return w
}

// startWrite starts a Write.
func (c *talk) startWrite(ctx context.Context, u output.Unit, a, b string) *call {
	return c.start(func() error {
		_, err := c.sink.Write(ctx, u, []byte(a), []byte(b))
		return err
	})
}

// waits checks that w still waits.
func (w *call) waits(why string) {
	w.c.Helper()
	synctest.Wait()
	if w.done.Load() {
		w.c.Errorf("%s: it did not wait (error %v)", why, w.err)
	}
}

// returned checks that w no longer waits, and what it returned.
func (w *call) returned(why string, want error) {
	w.c.Helper()
	synctest.Wait()
	if !w.done.Load() {
		w.c.Errorf("%s: it still waits", why)
		return
	}
	w.c.wantErr(why, w.err, want)
}

// errSink is the error of writes to the sink.
var errSink = errors.New("the sink is broken")
