package output_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// A unit of a storm holds its writer, its number among that writer's units, its kind and its length, so that each can be
// found in what the peer got.
const (
	unitHead  = 10
	unitWhole = 'w' // must not stand within a message in parts
	unitFirst = 'f' // the first part of such a message
	unitPart  = 'p'
	unitEnd   = 'e'
	unitSmall = 's' // may stand anywhere
)

func appendUnit(dst []byte, who, number int, kind byte, size int) []byte {
	dst = append(dst, byte(who), kind)
	dst = binary.BigEndian.AppendUint32(dst, uint32(number))
	dst = binary.BigEndian.AppendUint32(dst, uint32(size))
	for i := range size {
		dst = append(dst, byte(who+number+i))
	}
	return dst
}

// stormy is a storm on one queue.
type stormy struct {
	*talk
	refuses bool // in the middle of the storm the queue begins to refuse units
	breaks  bool // and units that it has accepted need not leave

	mu       sync.Mutex
	random   *rand.Rand
	accepted map[int][]int // by writer, in order
	shareds  []*bufpool.Shared
	resumes  sync.WaitGroup
	toDraw   int // units that the source has
	drawn    int // units that it has given
}

// flush is the sink's flush, but it takes random amounts, and room comes at once, later, or twice.
func (s *stormy) flush(f *output.Flight, how manner) error {
	for f != nil {
		s.sink.takeOff(f)
		left := s.some(f, how)
		if left {
			s.sink.mu.Lock()
			s.sink.flying = false
			s.sink.mu.Unlock()
			s.q.Leave(f)
			s.resumes.Add(2)
			for range 2 {
				go func() {
					defer s.resumes.Done()
					s.flush(s.q.Resume(), trying)
				}()
			}
			return nil
		}
		var err error
		if f, err = s.sink.finished(f, nil); f == nil {
			return err
		}
		if how == waiting {
			how = trying
		}
	}
	return nil
}

// some takes a part of f, or all if the flusher may wait.
func (s *stormy) some(f *output.Flight, how manner) (left bool) {
	size := f.Size()
	n := size
	if how == trying {
		s.mu.Lock()
		if s.random.IntN(3) == 0 {
			n = s.random.IntN(size + 1)
		}
		s.mu.Unlock()
	}
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	s.sink.take(&f.Batch, n)
	return n < size
}

// accept notes that unit number of who was accepted, or was not because of err.
func (s *stormy) accept(who, number int, ok bool, err error) bool {
	switch {
	case ok && err == nil:
		s.mu.Lock()
		s.accepted[who] = append(s.accepted[who], number)
		s.mu.Unlock()
	case err != nil && err != context.Canceled && !(s.refuses && (err == errOther || err == net.ErrClosed)):
		s.Errorf("unit %d of %d: %v", number, who, err)
	}
	return ok && err == nil
}

// write writes a unit as Link.WriteUnit does, with a large b if large is set; b is overwritten afterwards.
func (s *stormy) write(ctx context.Context, u output.Unit, unit []byte) error {
	b := slices.Clone(unit[unitHead:])
	defer clear(b)
	for {
		f, _, err := s.q.Write(ctx, u, unit[:unitHead], b)
		if f == nil {
			return err
		}
		if ferr := s.flush(f, waiting); err != output.ErrAgain {
			return ferr
		}
	}
}

func (s *stormy) post(post func() (*output.Flight, bool, bool, error)) (bool, error) {
	for {
		f, ok, _, err := post()
		if f == nil {
			return ok, err
		}
		ferr := s.flush(f, trying)
		if err != output.ErrAgain {
			return ok, ferr
		}
	}
}

// act does one random operation for who, whose next unit has the given number.
func (s *stormy) act(r *rand.Rand, who, number int) {
	size := r.IntN(60)
	if r.IntN(20) == 0 {
		size = output.GatherFrom + r.IntN(5000)
	}
	ctx := s.Context()
	s.q.Left() // a goroutine that only looks does so at the right time, too
	s.q.Err()
	switch r.IntN(15) {
	case 0, 1, 2:
		if r.IntN(3) == 0 {
			gone, cancel := context.WithCancel(ctx)
			go cancel()
			ctx = gone
		}
		err := s.write(ctx, output.Whole, appendUnit(nil, who, number, unitWhole, size))
		s.accept(who, number, true, err)
	case 3, 4:
		unit := appendUnit(nil, who, number, unitSmall, size)
		ok, err := s.post(func() (*output.Flight, bool, bool, error) {
			if number%2 == 0 {
				return s.q.PostTwo(output.Part, unit[:unitHead], unit[unitHead:])
			}
			return s.q.Post(output.Part, unit)
		})
		clear(unit)
		s.accept(who, number, ok, err)
	case 5, 6:
		p := bufpool.Share(appendUnit(bufpool.Get(0)[:0], who, number, unitWhole, size))
		ok, err := s.post(func() (*output.Flight, bool, bool, error) { return s.q.PostShared(output.Whole, p) })
		s.mu.Lock()
		s.shareds = append(s.shareds, p)
		s.mu.Unlock()
		if !s.accept(who, number, ok, err) && err == nil {
			s.waitForRoom()
		}
	case 7, 8:
		s.inParts(r, who, number)
	case 9:
		s.q.Hold()
		err := s.write(ctx, output.Part, appendUnit(nil, who, number, unitSmall, size))
		s.accept(who, number, true, err)
		if r.IntN(2) == 0 {
			f, _ := s.q.ReleaseTake()
			s.flush(f, latched)
		} else {
			s.q.Release()
			f, _ := s.q.Take()
			s.flush(f, trying)
		}
	case 10:
		f, _ := s.q.Drain()
		s.flush(f, waiting)
	case 11:
		s.flush(s.q.TakeNone(), trying)
	case 12:
		s.q.NeedsTick()
		if s.q.EndTick() {
			f, _ := s.q.Take()
			s.flush(f, trying)
		}
	case 13:
		s.exclude(who, number)
	case 14:
		s.mu.Lock()
		s.toDraw += 1 + r.IntN(10)
		s.mu.Unlock()
		s.flush(s.q.Draw(s), trying)
	}
}

// AppendOutput implements output.Source: the source's units belong to one more writer.
func (s *stormy) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.toDraw > 0 && len(dst) < most {
		s.drawn++
		s.toDraw--
		dst = appendUnit(dst, stormers, s.drawn, unitSmall, s.drawn%70)
		s.accepted[stormers] = append(s.accepted[stormers], s.drawn)
	}
	return dst, s.toDraw > 0
}

// waitForRoom waits for OnRoom's callback; the storm tests that it comes.
func (s *stormy) waitForRoom() {
	told := make(chan struct{})
	s.q.OnRoom(func() { close(told) })
	select {
	case <-told:
	case <-time.After(time.Hour): // the bubble's time moves when all goroutines wait
		s.Error("OnRoom has been forgotten")
	}
}

func (s *stormy) inParts(r *rand.Rand, who, number int) {
	if s.q.BeginParts(s.Context(), 100) != nil {
		return
	}
	defer s.q.EndParts()
	parts := 2 + r.IntN(3)
	for i := range parts {
		kind := byte(unitPart)
		if i == 0 {
			kind = unitFirst
		} else if i == parts-1 {
			kind = unitEnd
		}
		err := s.write(s.Context(), output.Part, appendUnit(nil, who, number+i, kind, r.IntN(50)))
		if !s.accept(who, number+i, true, err) {
			return
		}
	}
}

// exclude sends a unit past the queue, as sendfile does.
func (s *stormy) exclude(who, number int) {
	if !s.q.TryParts() { // a whole unit must not stand within another's message
		return
	}
	defer s.q.EndParts()
	for {
		f, err := s.q.Exclude()
		if err != nil {
			return
		}
		if f == nil {
			break
		}
		s.flush(f, waiting)
	}
	s.sink.takeOff(nil)
	s.sink.mu.Lock()
	s.sink.got = appendUnit(s.sink.got, who, number, unitWhole, 5)
	s.sink.mu.Unlock()
	s.accept(who, number, true, nil)
	f, _ := s.sink.finished(nil, nil)
	s.flush(f, trying)
}

// wantWire checks that the peer got every accepted unit whole, once, and in its writer's order; if the queue has failed,
// that everything the peer got is whole and in order.
func (s *stormy) wantWire() {
	wire, got := s.sink.got, map[int][]int{}
	inParts := -1
	for len(wire) > 0 {
		if len(wire) < unitHead || len(wire) < unitHead+int(binary.BigEndian.Uint32(wire[6:])) {
			if !s.breaks {
				s.Errorf("%d bytes of a unit are missing", len(wire))
			}
			break
		}
		who, kind, number := int(wire[0]), wire[1], int(binary.BigEndian.Uint32(wire[2:]))
		size := int(binary.BigEndian.Uint32(wire[6:]))
		if !slices.Equal(wire[:unitHead+size], appendUnit(nil, who, number, kind, size)) {
			s.Fatalf("unit %d of %d (%c) is not whole", number, who, kind)
		}
		switch {
		case inParts >= 0 && (kind == unitWhole || kind == unitFirst):
			s.Errorf("unit %d of %d (%c) stands within a message of %d", number, who, kind, inParts)
		case kind == unitFirst:
			inParts = who
		case kind == unitEnd:
			inParts = -1
		}
		got[who] = append(got[who], number)
		wire = wire[unitHead+size:]
	}
	for who := range stormers + 1 {
		if !slices.IsSorted(got[who]) || len(slices.Compact(slices.Clone(got[who]))) != len(got[who]) {
			s.Errorf("%d's units are out of order: %v", who, got[who])
		}
		if !s.breaks && !slices.Equal(got[who], s.accepted[who]) {
			s.Errorf("of writer %d the peer got %v, but %v were accepted", who, got[who], s.accepted[who])
		}
	}
}

// stormers is how many goroutines use a queue at once.
const stormers = 6

// Many goroutines can use one queue at once. In a bubble, a goroutine that is never woken fails the test.
func TestStorm(t *testing.T) {
	for seed := range uint64(6) {
		for _, end := range []string{"flush", "end", "seal", "fail", "drop"} {
			t.Run(fmt.Sprint(end, " ", seed), func(t *testing.T) {
				inBubble(t, func(t *testing.T, c *talk) {
					s := &stormy{talk: c, accepted: map[int][]int{}, random: rand.New(rand.NewPCG(seed, 99))}
					s.refuses = end != "flush"
					s.breaks = end == "fail" || end == "drop"
					s.run(seed, end)
				})
			})
		}
	}
}

func (s *stormy) run(seed uint64, end string) {
	s.q.Bound = 256
	var wg sync.WaitGroup
	for who := range stormers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(who)))
			for i := range 30 {
				if i == 15 && who == 0 && s.refuses {
					wg.Go(func() { s.finish(end) })
				}
				s.act(r, who, 10*i) // a message in parts has up to 10
			}
		})
	}
	wg.Wait()
	if !s.refuses {
		for {
			f, err := s.q.Drain()
			if f == nil {
				s.wantErr("Drain", err, nil)
				break
			}
			s.flush(f, waiting)
		}
		s.want("TrimIdle", s.sink.TrimIdle(), true)
	}
	s.resumes.Wait()
	synctest.Wait()
	s.q.Drop()
	s.wantWire()
	for i, p := range s.shareds {
		if !p.Sole() {
			s.Errorf("the queue still holds shared unit %d of %d", i, len(s.shareds))
		}
		p.Release()
	}
}

// finish ends the queue while all other goroutines use it.
func (s *stormy) finish(how string) {
	next := func() (*output.Flight, error) { return nil, nil }
	switch how {
	case "end":
		next = s.q.End
	case "seal":
		next = func() (*output.Flight, error) { return s.q.Seal(errOther) }
	case "fail":
		s.q.Fail(errOther)
	case "drop":
		s.q.Drop()
	}
	for {
		f, err := next()
		if f == nil {
			s.wantErr(how, err, nil)
			return
		}
		s.flush(f, waiting)
	}
}

// Take does not lock a queue without a Hold. Goroutines that hold, write, release and take, beside some that only write
// and some that only take, leave nothing unsent.
func TestStormOfTakes(t *testing.T) {
	q := output.WithBound(1 << 10)
	var sent atomic.Int64
	send := func(f *output.Flight, err error) {
		if err != nil {
			t.Error(err)
		}
		for f != nil {
			sent.Add(int64(f.Size()))
			f, _, _ = q.Finished(f, nil)
		}
	}
	write := func() {
		for {
			f, _, err := q.Write(t.Context(), output.Whole, []byte("unit"), nil)
			if send(f, nil); err != output.ErrAgain {
				return
			}
		}
	}
	const rounds = 2000
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range rounds {
				q.Hold()
				write()
				q.Release()
				send(q.Take())
			}
		})
		wg.Go(func() {
			for range rounds {
				write()
			}
		})
		wg.Go(func() {
			for range rounds {
				send(q.Take())
			}
		})
	}
	wg.Wait()
	if n := sent.Load(); n != 4*4*rounds || q.Pending() > 0 {
		t.Errorf("%d bytes of %d were sent, %d are pending", n, 4*4*rounds, q.Pending())
	}
}

// Each pair of methods may run on two goroutines that share nothing but the queue: the race detector fails the test if one
// of them does not take the lock. In the storm, the locks of other calls order nearly everything.
func TestLocks(t *testing.T) {
	land := func(q *output.Queue, f *output.Flight) {
		for f != nil {
			f, _, _ = q.Finished(f, nil)
		}
	}
	for name, both := range map[string][2]func(q *output.Queue){
		"Err":     {func(q *output.Queue) { q.Err() }, func(q *output.Queue) { q.Fail(errOther) }},
		"Drop":    {func(q *output.Queue) { q.Drop() }, func(q *output.Queue) { q.Fail(errOther) }},
		"Pending": {func(q *output.Queue) { q.Pending() }, func(q *output.Queue) { land(q, q.TakeNone()) }},
		"Left":    {func(q *output.Queue) { q.Left() }, func(q *output.Queue) { q.TryParts() }},
		"Hold":    {func(q *output.Queue) { q.Hold() }, func(q *output.Queue) { q.Hold() }},
		"Release": {func(q *output.Queue) { q.Release() }, func(q *output.Queue) { q.Release() }},
		"ReleaseTake": {
			func(q *output.Queue) { f, _ := q.ReleaseTake(); land(q, f) },
			func(q *output.Queue) { f, _ := q.ReleaseTake(); land(q, f) },
		},
		"Draw":     {func(q *output.Queue) { land(q, q.Draw(&source{})) }, func(q *output.Queue) { land(q, q.Draw(&source{})) }},
		"OnRoom":   {func(q *output.Queue) { q.OnRoom(func() {}) }, func(q *output.Queue) { q.OnRoom(func() {}) }},
		"EndParts": {func(q *output.Queue) { q.EndParts() }, func(q *output.Queue) { q.TryParts() }},
		"NeedsTick": {func(q *output.Queue) { q.NeedsTick() }, func(q *output.Queue) {
			if q.EndTick() {
				f, _ := q.Take()
				land(q, f)
			}
		}},
		"TrimIdle": {func(q *output.Queue) { q.TrimIdle(func() {}) }, func(q *output.Queue) { q.TryParts() }},
		"Resume":   {func(q *output.Queue) { land(q, q.Resume()) }, func(q *output.Queue) { q.TryParts() }},
	} {
		t.Run(name, func(t *testing.T) {
			for range 5 { // once for each writer: the race detector remembers only the last few accesses to a word
				q := output.WithBound(testBound)
				q.Hold()
				q.Hold()
				q.Post(output.Whole, []byte("held"))
				var wg sync.WaitGroup
				for _, f := range both {
					wg.Go(func() { f(q) })
				}
				wg.Wait()
				q.Drop()
			}
		})
	}
}
