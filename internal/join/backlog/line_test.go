package backlog

import (
	"errors"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/budget"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// rig is a Line and what has been posted from it.
type rig struct {
	*Line
	t      *testing.T
	mu     sync.Mutex
	memory *budget.Budget
	room   int // how many items post accepts
	posted []string
}

func newRig(t *testing.T, l Limits) *rig {
	r := &rig{t: t, memory: budget.New(1 << 30)}
	if l.Memory == nil {
		l.Memory = r.memory
	}
	r.Line = New(&r.mu, &l)
	r.mu.Lock()
	t.Cleanup(r.mu.Unlock)
	return r
}

func item(key, text string) Item {
	return Item{Frame: append(bufpool.Get(len(text))[:0], text...), Key: key}
}

func (r *rig) add(key, text string, want error) {
	r.t.Helper()
	if err := r.Add(item(key, text), false); err != want {
		r.t.Errorf("%q: %v, want %v", text, err, want)
	}
}

// move lets room items leave and checks what has left so far.
func (r *rig) move(room int, want Progress, posted string) {
	r.t.Helper()
	r.room = room
	got := r.Move(func(p *Item) (bool, error) {
		if r.room == 0 {
			return false, nil
		}
		r.room--
		r.posted = append(r.posted, string(p.Frame))
		return true, nil
	})
	if all := strings.Join(r.posted, " "); got != want || all != posted {
		r.t.Errorf("%v, posted %q; want %v, %q", got, all, want, posted)
	}
}

// Items leave in their order, turns among them, and the last frame ends the line.
func TestOrder(t *testing.T) {
	r := newRig(t, Limits{Messages: 10, Bytes: 100})
	r.add("", "a", nil)
	r.add("", "b", nil)
	turn := r.AddTurn()
	given := r.AddTurn()
	r.add("", "c", nil)
	r.AddLast(append(bufpool.Get(3)[:0], "end"...))
	r.add("", "late", net.ErrClosed)
	r.move(1, Full, "a")
	r.move(5, Turn, "a b")
	<-turn
	if !r.GiveUpTurn(given) || r.GiveUpTurn(turn) {
		t.Error("only the turn that has not come can be given up")
	}
	r.move(5, Stands, "a b c end")
	if r.Moving() || r.memory.Used() != 0 || !r.Ending() {
		t.Errorf("%d bytes are counted", r.memory.Used())
	}
}

// Each policy does with a message for a full line what its comment says.
func TestPolicies(t *testing.T) {
	for _, tc := range []struct {
		policy  Policy
		want    error // of the third message
		posted  string
		dropped int64
	}{
		{Block, ErrDropped, "a b", 1},
		{DropOldest, nil, "b A", 1},
		{LatestPerKey, nil, "A b", 1},
		{Refuse, ErrSlow, "a b", 1},
	} {
		r := newRig(t, Limits{Policy: tc.policy, Messages: 2, Bytes: 100})
		r.add("a", "a", nil)
		r.add("b", "b", nil)
		r.add("a", "A", tc.want)
		if r.Dropped() != tc.dropped {
			t.Errorf("policy %d: %d were dropped", tc.policy, r.Dropped())
		}
		r.move(9, Stands, tc.posted)
	}
}

// A message waits for room with Block, and gets it in the order of calls or fails with the line.
func TestBlock(t *testing.T) {
	r := newRig(t, Limits{Messages: 1, Bytes: 100})
	r.add("", "a", nil)
	added := make(chan error)
	add := func() {
		r.mu.Lock()
		err := r.Add(item("", "b"), true)
		r.mu.Unlock()
		added <- err
	}
	go add()
	r.mu.Unlock()
	for { // the goroutine waits in Add when this has moved the line on
		r.mu.Lock()
		if r.Len() > 0 {
			r.Move(func(*Item) (bool, error) { return true, nil })
		}
		r.mu.Unlock()
		select {
		case err := <-added:
			if err != nil {
				t.Error(err)
			}
		default:
			continue
		}
		break
	}
	r.mu.Lock()
	r.Fail(nil)
	r.add("", "c", nil)
	failed := errors.New("failed")
	go add()
	r.Fail(failed)
	r.mu.Unlock()
	if err := <-added; err != failed {
		t.Error(err)
	}
	r.mu.Lock()
}

// A message in several lines counts once in each Budget.
func TestWeight(t *testing.T) {
	one, other := budget.New(100), budget.New(100)
	shared := bufpool.Share([]byte("0123456789"))
	weight := new(Weight)
	var lines []*rig
	for _, memory := range []*budget.Budget{one, one, other} {
		r := newRig(t, Limits{Messages: 3, Bytes: 1000, Memory: memory})
		if err := r.Add(Item{Shared: shared.Retain(), Weight: weight}, false); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, r)
	}
	if one.Used() != 10 || other.Used() != 10 {
		t.Errorf("%d and %d bytes are counted, want 10 each", one.Used(), other.Used())
	}
	lines[0].Fail(net.ErrClosed)
	if one.Used() != 10 {
		t.Errorf("%d bytes are counted", one.Used())
	}
	lines[1].Fail(net.ErrClosed)
	lines[2].Fail(net.ErrClosed)
	if one.Used() != 0 || other.Used() != 0 {
		t.Errorf("%d and %d bytes are still counted", one.Used(), other.Used())
	}
}
