package lot

import (
	"testing"
)

// Each Ask is reported once, for what is there already and for what comes later.
func TestToldOnce(t *testing.T) {
	l := open(t)
	a, b := socketPair(t)
	h, place := newHeard(), Place{}
	if place.Held() {
		t.Error("the zero Place was given out")
	}
	ask(t, l, &place, h, a, Input)
	h.wantNothing(t, l, "nothing has happened")
	b.write(t, "x")
	h.want(t, Input)
	b.write(t, "y")
	h.wantNothing(t, l, "there was no second Ask")
	first := place
	ask(t, l, &place, h, a, Input) // what is there already is reported
	h.want(t, Input)
	if place != first {
		t.Errorf("the place was %v and is %v", first, place)
	}
	a.read(t, 2)
	ask(t, l, &place, h, a, Input)
	h.wantNothing(t, l, "everything was read")
	b.write(t, "z")
	h.want(t, Input)
	l.Leave(&place, a.raw)
	if place.Held() {
		t.Error("the place has no tenant")
	}
	l.Leave(&place, a.raw) // does nothing
}

// Only requested events are reported, and the end of the connection always.
func TestToldOfWhatWasAskedFor(t *testing.T) {
	l := open(t)
	for _, tc := range []struct {
		name    string
		asked   Event
		happens func(t *testing.T, near, far *end)
		want    Event // 0: no event
	}{
		{"bytes, for input", Input, func(t *testing.T, _, far *end) { far.write(t, "x") }, Input},
		{"bytes, for room", Room, func(t *testing.T, _, far *end) { far.write(t, "x") }, 0},
		{"bytes, for the peer's leaving", Gone, func(t *testing.T, _, far *end) { far.write(t, "x") }, 0},
		{"room, for room", Room, func(_ *testing.T, _, far *end) { drain(far) }, Room},
		{"room, for input", Input, func(*testing.T, *end, *end) {}, 0},
		{"half close, for the peer's leaving", Gone, func(_ *testing.T, _, far *end) { far.shutWrite() }, Gone},
		{"half close, for input", Input, func(_ *testing.T, _, far *end) { far.shutWrite() }, Input},
		{"half close, for room", Room, func(_ *testing.T, _, far *end) { far.shutWrite() }, 0},
		{"the end, for room", Room, func(_ *testing.T, _, far *end) { far.shut() }, Gone},
		{"the end, for nothing", 0, func(_ *testing.T, _, far *end) { far.shut() }, Gone},
		{"bytes and half close, for both", Input | Gone, func(t *testing.T, _, far *end) { far.write(t, "x"); far.shutWrite() }, Input},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, before := range []bool{true, false} {
				near, far := socketPair(t)
				h, place := newHeard(), Place{}
				if tc.asked == Room {
					near.fill() // otherwise there is room from the beginning
				}
				if before {
					tc.happens(t, near, far)
				}
				ask(t, l, &place, h, near, tc.asked)
				if !before {
					tc.happens(t, near, far)
				}
				if tc.want == 0 {
					h.wantNothing(t, l, "it was not asked for")
				} else {
					h.want(t, tc.want)
				}
				h.wantNothing(t, l, "it was reported already")
				l.Leave(&place, near.raw)
			}
		})
	}
}

// The last Ask counts, also before any event.
func TestAskChangesTheWish(t *testing.T) {
	l := open(t)
	a, b := socketPair(t)
	h, place := newHeard(), Place{}
	ask(t, l, &place, h, a, Input)
	ask(t, l, &place, h, a, Gone)
	b.write(t, "x")
	h.wantNothing(t, l, "input is not asked for any more")
	ask(t, l, &place, h, a, Input|Gone)
	h.want(t, Input)
	l.Leave(&place, a.raw)
}

// After Leave nothing is reported, and the descriptor can be asked about again, here or in another lot.
func TestLeft(t *testing.T) {
	l, other := open(t), open(t)
	a, b := socketPair(t)
	h, place := newHeard(), Place{}
	ask(t, l, &place, h, a, Input)
	l.Leave(&place, a.raw)
	b.write(t, "x")
	h.wantNothing(t, l, "it has left")
	h2, place2 := newHeard(), Place{}
	ask(t, other, &place2, h2, a, Input)
	h2.want(t, Input)
	ask(t, l, &place, h, a, Input)
	h.want(t, Input)
	l.Leave(&place, a.raw)
	other.Leave(&place2, a.raw)
}

// An event for a tenant that has left is not reported to the next tenant of its place.
func TestTheNextTenant(t *testing.T) {
	l := open(t)
	a, _ := socketPair(t)
	c, _ := socketPair(t)
	h, h2 := newHeard(), newHeard()
	place, place2 := Place{}, Place{}
	ask(t, l, &place, h, a, Input)
	old := place
	if l.tenant(old.key()) != Tenant(h) {
		t.Fatal("the tenant is not found")
	}
	l.Leave(&place, a.raw)
	if who := l.tenant(old.key()); who != nil {
		t.Fatalf("a tenant that has left is found: %v", who)
	}
	ask(t, l, &place2, h2, c, Input)
	if place2.index != old.index {
		t.Fatalf("the place was not given out again: %v after %v", place2, old)
	}
	if who := l.tenant(old.key()); who != nil {
		t.Fatal("an event of the last tenant reaches the next one")
	}
	if l.tenant(place2.key()) != Tenant(h2) {
		t.Fatal("the next tenant is not found")
	}
	l.Leave(&place2, c.raw)
}

// stayer is a tenant that makes the lot's goroutine wait.
type stayer struct{ in, out chan struct{} }

func (s stayer) Event(Event) {
	s.in <- struct{}{}
	<-s.out
}

// Events that were already taken from the kernel are not reported to a tenant that has left meanwhile.
func TestLeftAmidEvents(t *testing.T) {
	l := open(t)
	s := stayer{make(chan struct{}), make(chan struct{})}
	a, b := socketPair(t)
	var place Place
	ask(t, l, &place, s, a, Input)
	type tenant struct {
		near, far *end
		h         heard
		place     Place
	}
	var tenants [20]tenant
	for i := range tenants {
		k := &tenants[i]
		k.near, k.far = socketPair(t)
		k.h = newHeard()
		ask(t, l, &k.place, k.h, k.near, Input)
	}
	for range 3 {
		b.write(t, "x")
		for i := range tenants {
			tenants[i].far.write(t, "x") // taken from the kernel together with the first one, or next
		}
		<-s.in
		for i := range tenants {
			k := &tenants[i]
			l.Leave(&k.place, k.near.raw)
			drain(k.near)
		}
		for i := range tenants { // the places, in another order
			k := &tenants[i]
			for len(k.h) > 0 {
				<-k.h // reported before the first one
			}
			ask(t, l, &k.place, k.h, k.near, Input)
		}
		s.out <- struct{}{}
		for i := range tenants {
			tenants[i].h.wantNothing(t, l, "nothing has come since it asked")
		}
		drain(a)
		ask(t, l, &place, s, a, Input)
	}
	for i := range tenants {
		l.Leave(&tenants[i].place, tenants[i].near.raw)
	}
	l.Leave(&place, a.raw)
}

// Of two lots, each reports only what it was asked for.
func TestTwoLots(t *testing.T) {
	one, two := open(t), open(t)
	a, b := socketPair(t)
	h1, h2 := newHeard(), newHeard()
	var p1, p2 Place
	ask(t, one, &p1, h1, a, Input)
	ask(t, two, &p2, h2, a, Gone)
	b.write(t, "x")
	h1.want(t, Input)
	h2.wantNothing(t, two, "it has asked for something else")
	b.shut()
	h2.want(t, Gone)
	h1.wantNothing(t, one, "it has not asked again")
	one.Leave(&p1, a.raw)
	two.Leave(&p2, a.raw)
}
