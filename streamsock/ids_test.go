package streamsock

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// newTable returns the table of a socket without addresses.
func newTable(cfg Config) *table { return &New(cfg).peers }

// come makes a new peer enter.
func (t *table) come(key string, seat ID, dialled bool) (*Peer, error) {
	var d *dialling
	if dialled {
		d = new(dialling)
	}
	p := newPeer(&hub{cfg: Config{}.settings()}, d)
	p.key = key
	return t.enter(p, seat)
}

// wantCome makes a new peer enter and compares its id, which is 0 if it is refused with an error.
func (t *table) wantCome(tt *testing.T, dialled bool, want ID, failure error) *Peer {
	tt.Helper()
	p, err := t.come("", 0, dialled)
	if err != failure || err == nil && p.id != want {
		tt.Fatalf("got %+v, %v; want %d, %v", p, err, want, failure)
	}
	return p
}

// wantSeat takes a seat and compares it.
func (t *table) wantSeat(tt *testing.T, key string, want ID, failure error) {
	tt.Helper()
	if id, err := t.reserve(key); id != want || err != failure {
		tt.Fatalf("seat %d, %v; want %d, %v", id, err, want, failure)
	}
}

// A reserved id counts as used and is given to nobody else.
func TestSeats(t *testing.T) {
	k := newTable(Config{MaxPeers: 3, LastID: 5})
	k.wantSeat(t, "", 1, nil)
	k.wantCome(t, false, 2, nil)
	k.wantSeat(t, "", 3, nil)
	k.wantSeat(t, "", 0, errMaxPeers)
	k.wantCome(t, false, 0, errMaxPeers)
	if p, err := k.come("", 1, false); err != nil || p.id != 1 || k.peers[1] != p {
		t.Fatalf("got %+v, %v; want id 1", p, err)
	}
	k.wantSeat(t, "", 0, errMaxPeers) // it counts once
	k.unreserve(3)
	k.unreserve(0)
	k.wantSeat(t, "", 3, nil) // nobody has heard of it
	k.wantCome(t, true, 4, nil)
	k.wantCome(t, true, 5, nil)
	k.wantCome(t, true, 0, errNoID)
	k.unreserve(3)
	k.wantCome(t, true, 3, nil)
	if k.accepted != 2 || len(k.reserved) != 0 {
		t.Errorf("%d accepted, %d seats", k.accepted, len(k.reserved))
	}
}

// Only the id that was given last is given again after it was returned.
func TestSeatsGivenBack(t *testing.T) {
	k := newTable(Config{LastID: 3})
	k.wantSeat(t, "", 1, nil)
	k.wantSeat(t, "", 2, nil)
	k.unreserve(1)
	if err := k.missing(1); err != ErrGone {
		t.Errorf("one that others came after: got %v, want %v", err, ErrGone)
	}
	k.wantCome(t, false, 3, nil) // the round is full
	k.unreserve(2)
	k.wantCome(t, false, 1, nil)
	k.wantSeat(t, "", 2, nil)
	k.unreserve(2)
	if k.next != 3 {
		t.Errorf("in the second round every id has been heard of: next is %d", k.next)
	}
}

// A connection with the key of a peer needs no free place, and one with another key does.
func TestSeatOfAKey(t *testing.T) {
	k := newTable(Config{MaxPeers: 2})
	anna, err := k.come("anna", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	k.wantSeat(t, "anna", 0, nil)
	k.wantSeat(t, "ben", 2, nil)
	k.wantSeat(t, "anna", 0, nil)
	k.wantSeat(t, "carl", 0, errMaxPeers)
	if p, err := k.come("ben", 2, false); err != nil || p.id != 2 {
		t.Errorf("got %+v, %v; want id 2", p, err)
	}
	if p, err := k.come("anna", 0, false); err != nil || p != anna || k.accepted != 2 {
		t.Errorf("%+v, %v; %d peers", p, err, k.accepted)
	}
	k.leave(anna)
	k.wantSeat(t, "anna", 3, nil)
	if p, err := k.come("ben", 3, false); err != nil || p.id != 2 || k.accepted != 1 || len(k.reserved) > 0 {
		t.Errorf("a seat of who was faster: %+v, %v; %d peers", p, err, k.accepted)
	}
}

// The error says whether a peer with this id was there before.
func TestMissing(t *testing.T) {
	k := newTable(Config{LastID: 3})
	wants := func(want ...error) {
		t.Helper()
		for i, w := range want {
			if p, err := k.get(ID(i)); err != w || (p != nil) != (w == nil) {
				t.Errorf("%d: %v, %v, want %v", i, p, err, w)
			}
		}
	}
	wants(ErrNoPeer, ErrNoPeer, ErrNoPeer, ErrNoPeer, ErrNoPeer)
	one := k.wantCome(t, false, 1, nil)
	k.wantSeat(t, "", 2, nil)
	wants(ErrNoPeer, nil, ErrNoPeer, ErrNoPeer, ErrNoPeer)
	k.leave(one)
	wants(ErrNoPeer, ErrGone, ErrNoPeer, ErrNoPeer, ErrNoPeer)
	k.wantCome(t, true, 3, nil)
	wants(ErrNoPeer, ErrGone, ErrNoPeer, nil, ErrNoPeer)
	k.unreserve(2)
	wants(ErrNoPeer, ErrGone, ErrGone, nil, ErrNoPeer)
}

// A peer that leaves frees its id and key once, and not those that have become another's.
func TestLeave(t *testing.T) {
	k := newTable(Config{LastID: 2})
	anna, _ := k.come("anna", 0, false)
	anna.received.Store(3)
	dialled := k.wantCome(t, true, 2, nil)
	k.keys["anna"] = dialled
	k.noteLeaving(anna)
	k.noteLeaving(anna)
	if k.leaving != 1 {
		t.Errorf("%d leave", k.leaving)
	}
	k.leave(anna)
	k.leave(anna)
	k.leave(dialled)
	if k.accepted != 0 || k.leaving != 0 || k.departed.Received != 3 || len(k.peers) != 0 || k.keys["anna"] != dialled {
		t.Errorf("got %+v; want 3 messages received, and nobody left but anna", k)
	}
	anna, _ = k.come("ann", 0, false)
	if k.leave(anna); k.keys["ann"] != nil {
		t.Error("the key of a peer that has left is kept")
	}
	other := k.wantCome(t, false, 2, nil)
	k.leave(dialled) // which had the id of other
	if k.peers[2] != other || k.accepted != 1 {
		t.Errorf("got %+v; want the other peer at id 2, accepted 1", k)
	}
}

// A new connection waits a short time for the place of a peer that is about to leave.
func TestSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTable(Config{})
		leaver := func(d time.Duration) *Peer {
			p := k.wantCome(t, false, k.next, nil)
			k.noteLeaving(p)
			time.AfterFunc(d, func() { k.leave(p) })
			return p
		}
		tries := 0
		takes := func(results ...error) (time.Duration, error) {
			began := time.Now()
			tries = 0
			err := k.retryForRoom(func() error {
				tries++
				return results[min(tries, len(results))-1]
			})
			return time.Since(began), err
		}
		wants := func(name string, d time.Duration, err error, wantErr error, want time.Duration, wantTries int) {
			t.Helper()
			if err != wantErr || d != want || tries != wantTries {
				t.Errorf("%s: %v after %v and %d tries, want %v after %v and %d", name, d, err, tries, wantErr, want, wantTries)
			}
		}
		const soon = roomWait / 4
		d, err := takes(errMaxPeers)
		wants("nobody leaves", d, err, errMaxPeers, 0, 1)
		leaver(soon)
		d, err = takes(nil)
		wants("there is room", d, err, nil, 0, 1)
		other := errors.New("other")
		d, err = takes(other)
		wants("it is not for want of room", d, err, other, 0, 1)
		d, err = takes(errMaxPeers, nil)
		wants("somebody leaves", d, err, nil, soon, 2)
		leaver(soon)
		leaver(2 * soon)
		d, err = takes(errNoID, errNoID, nil)
		wants("two leave", d, err, nil, 2*soon, 3)
		leaver(soon)
		d, err = takes(errNoID)
		wants("who leaves was not the last", d, err, errNoID, soon, 2)
		leaver(2 * roomWait)
		d, err = takes(errMaxPeers)
		wants("it takes too long", d, err, errMaxPeers, roomWait, 1)
		time.AfterFunc(soon, func() {
			id, _ := k.reserve("")
			k.unreserve(id)
		})
		d, err = takes(errMaxPeers, nil)
		wants("a seat becomes free", d, err, nil, soon, 2)
		done := make(chan error)
		for range 2 {
			go func() {
				first := true
				done <- k.retryForRoom(func() error {
					if first {
						first = false
						return errMaxPeers
					}
					return nil
				})
			}()
		}
		leaver(soon)
		for range 2 {
			if err := <-done; err != nil {
				t.Errorf("of two who wait: %v", err)
			}
		}
		time.Sleep(2 * roomWait)
	})
}
