package lot

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A lot reuses its places: it is as large as the largest number of tenants at one time.
func TestPlacesAreUsedAgain(t *testing.T) {
	l := open(t)
	a, _ := socketPair(t)
	seen := map[Place]bool{}
	for range 1000 {
		var place Place
		ask(t, l, &place, newHeard(), a, Input)
		if seen[place] {
			t.Fatalf("the place %v was given out twice", place)
		}
		seen[place] = true
		l.Leave(&place, a.raw)
	}
	if n := len(l.places); n != 1 {
		t.Errorf("there are %d places for one tenant", n)
	}
	if l.places[0].tenant != nil {
		t.Error("a free place keeps its tenant")
	}
}

// The zero Place is never given out, not even after the last number.
func TestNumbersBeginAgain(t *testing.T) {
	l := open(t)
	a, b := socketPair(t)
	var place Place
	ask(t, l, &place, newHeard(), a, Input)
	l.Leave(&place, a.raw)
	l.mu.Lock()
	l.places[0].generation = 1<<32 - 1
	l.mu.Unlock()
	ask(t, l, &place, newHeard(), a, Input)
	l.Leave(&place, a.raw)
	h := newHeard()
	ask(t, l, &place, h, a, Input)
	b.write(t, "x")
	h.want(t, Input)
	l.Leave(&place, a.raw)
}

// Ask fails for a descriptor that is closed and for one that epoll does not take. The place is not lost.
func TestAskFails(t *testing.T) {
	l := open(t)
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var place Place
	for range 3 {
		if l.Ask(&place, newHeard(), raw, Input) || place.Held() {
			t.Error("epoll accepts a regular file")
		}
	}
	a, _ := socketPair(t)
	ask(t, l, &place, newHeard(), a, Input)
	held := place
	_ = a.file.Close()
	if l.Ask(&place, newHeard(), a.raw, Input) {
		t.Error("a closed descriptor can be asked about")
	}
	if place != held {
		t.Errorf("the place was %v and is %v", held, place)
	}
	l.Leave(&place, a.raw)
	if len(l.places) != 1 || len(l.free) != 1 {
		t.Errorf("%d places, %d free", len(l.places), len(l.free))
	}
}

// After Close nothing is reported, and the goroutine ends, which TestMain checks.
func TestClose(t *testing.T) {
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	a, b := socketPair(t)
	h, place := newHeard(), Place{}
	ask(t, l, &place, h, a, Input)
	l.Close()
	b.write(t, "x")
	other := open(t)
	settle(t, other)
	select {
	case what := <-h:
		t.Errorf("reported %#x", what)
	default:
	}
}

// A closed lot does not use its old descriptor number, which may belong to another lot by now.
func TestAfterClose(t *testing.T) {
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	a, b := socketPair(t)
	c, d := socketPair(t)
	var old, place, place2 Place
	ask(t, l, &old, newHeard(), c, Input)
	l.Close()
	next := open(t) // it gets the number that was freed
	h, h2 := newHeard(), newHeard()
	ask(t, next, &place, h, a, Input)
	if l.Ask(&place2, h2, d.raw, Input) {
		t.Error("a closed lot accepts a tenant, whose events another lot would report")
	}
	if l.Ask(&old, h2, a.raw, Room) {
		t.Fatal("a closed lot changes a request to another lot")
	}
	l.Leave(&old, a.raw)
	h.wantNothing(t, next, "nothing has happened")
	b.write(t, "x")
	h.want(t, Input)
	c.write(t, "x")
	h.wantNothing(t, next, "the byte belongs to another lot")
	if len(h2) > 0 {
		t.Error("a closed lot reported an event")
	}
	next.Leave(&place, a.raw)
}

// Neither a lot nor a tenant leaves a descriptor open.
func TestNoDescriptorLeaks(t *testing.T) {
	before := openFiles(t)
	for range 20 {
		l, err := Open()
		if err != nil {
			t.Fatal(err)
		}
		a, b := socketPair(t)
		var place Place
		h := newHeard()
		ask(t, l, &place, h, a, Input)
		b.write(t, "x")
		h.want(t, Input)
		l.Leave(&place, a.raw)
		l.Close()
		_, _ = a.file.Close(), b.file.Close()
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func openFiles(t testing.TB) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(names)
}

// If no descriptor is left, Open returns an error and no lot.
func TestOpenFails(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	low := limit
	low.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Skip(err)
	}
	l, err := Open()
	if rerr := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); rerr != nil {
		t.Fatal(rerr)
	}
	if l != nil || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%v, %v", l, err)
	}
}

// asker is a tenant that asks again during its event, once it may.
type asker struct {
	lot     *Lot
	near    *end
	in, may chan struct{}
	place   Place
	asked   chan bool
}

func (a *asker) Event(Event) {
	a.in <- struct{}{}
	<-a.may
	a.asked <- a.lot.Ask(&a.place, a, a.near.raw, Gone)
}

// Tenants may ask again while an event is reported to them. Close and the tenants do not wait for each other then.
func TestCloseAmidAnEvent(t *testing.T) {
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	near, far := socketPair(t)
	a := &asker{lot: l, near: near, in: make(chan struct{}), may: make(chan struct{}), asked: make(chan bool, 1)}
	ask(t, l, &a.place, a, near, Input)
	far.write(t, "x")
	<-a.in
	closed := make(chan struct{})
	go func() {
		l.Close()
		close(closed)
	}()
	awaitClosing(t, closed)
	close(a.may)
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("Close waits for a tenant that waits for Close")
	}
	<-a.asked
}

// awaitClosing waits until Close has returned, or waits for something itself.
func awaitClosing(t testing.TB, closed <-chan struct{}) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		select {
		case <-closed:
			return
		default:
		}
		stacks := make([]byte, 1<<20)
		for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			head, _, _ := strings.Cut(g, "\n")
			if strings.Contains(g, "lot.(*Lot).Close(") && !strings.Contains(head, "[run") {
				return
			}
		}
	}
	t.Fatal("Close does not begin")
}
