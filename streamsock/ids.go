package streamsock

import (
	"sync"
	"time"
)

// table holds the peers by id and by key. Ids are given in order, except those in use.
type table struct {
	mu          sync.RWMutex
	peers       map[ID]*Peer
	reserved    map[ID]struct{} // ids of accepted peers that are not added yet; they count in accepted
	keys        map[string]*Peer
	last        ID    // the largest id
	next        ID    // the next id to be given, if it is free
	wrapped     bool  // every id has been given once
	maxAccepted int   // limit of accepted; 0: none
	accepted    int   // number of accepted peers
	departed    Stats // sums of the counters of peers that are gone

	leaving int           // peers whose user knows that they are gone, and that are still in the table
	freed   chan struct{} // closed when a peer is removed; nil if nothing waits for that
}

// noteLeaving counts p as leaving: its user is about to be told that it is gone, so its id will be free soon.
func (t *table) noteLeaving(p *Peer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !p.countedLeaving {
		p.countedLeaving = true
		t.leaving++
	}
}

// roomWait is the longest time that a new connection waits for the place of a peer that is leaving.
const roomWait = time.Second

// retryForRoom calls try. While it fails because the table is full and peers are leaving, it is called again after each
// removal.
func (t *table) retryForRoom(try func() error) error {
	late := time.NewTimer(roomWait)
	defer late.Stop()
	for {
		t.mu.Lock()
		if t.freed == nil {
			t.freed = make(chan struct{})
		}
		freed, leaving := t.freed, t.leaving
		t.mu.Unlock()
		err := try()
		if err != errMaxPeers && err != errNoID || leaving == 0 {
			return err
		}
		select {
		case <-freed:
		case <-late.C:
			return err
		}
	}
}

// get returns the peer with the given id, or ErrGone or ErrNoPeer.
func (t *table) get(id ID) (*Peer, error) {
	t.mu.RLock()
	p := t.peers[id]
	t.mu.RUnlock()
	if p == nil {
		return nil, t.missing(id)
	}
	return p, nil
}

// missing returns the error for an id without a peer.
func (t *table) missing(id ID) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if _, ok := t.reserved[id]; !ok && id != 0 && id <= t.last && (t.wrapped || id < t.next) {
		return ErrGone
	}
	return ErrNoPeer
}

// enter adds p with the id that is reserved for it, or else the next free one. If another peer has p's key, it returns that
// one instead. It fails if there is no free id, or too many accepted peers.
func (t *table) enter(p *Peer, reservedID ID) (other *Peer, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if reservedID != 0 {
		t.dropReservationLocked(reservedID)
	}
	if p.key != "" {
		if other = t.keys[p.key]; other != nil {
			return other, nil
		}
	}
	if p.id = reservedID; reservedID == 0 {
		if p.id, err = t.pickLocked(p.dialler == nil); err != nil {
			return nil, err
		}
	}
	t.peers[p.id] = p
	if p.dialler == nil {
		t.accepted++
	}
	if p.key != "" {
		t.keys[p.key] = p
	}
	return p, nil
}

// pickLocked returns the next free id.
func (t *table) pickLocked(accepted bool) (ID, error) {
	if accepted && t.maxAccepted > 0 && t.accepted >= t.maxAccepted {
		return 0, errMaxPeers
	}
	if uint64(len(t.peers)+len(t.reserved)) >= uint64(t.last) {
		return 0, errNoID
	}
	for t.takenLocked(t.next) {
		t.advance()
	}
	id := t.next
	t.advance()
	return id, nil
}

// takenLocked reports whether an id is in use or reserved.
func (t *table) takenLocked(id ID) bool {
	_, ok := t.reserved[id]
	return ok || t.peers[id] != nil
}

// reserve reserves an id for an accepted peer. It returns 0 if a peer has the key already.
func (t *table) reserve(key string) (ID, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if key != "" && t.keys[key] != nil {
		return 0, nil
	}
	id, err := t.pickLocked(true)
	if err == nil {
		t.reserved[id] = struct{}{}
		t.accepted++
	}
	return id, err
}

// unreserve gives a reserved id back. It does nothing if id is 0.
func (t *table) unreserve(id ID) {
	if id == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropReservationLocked(id)
	if !t.wrapped && id+1 == t.next {
		t.next = id // the id was never visible
	}
	t.signalFreedLocked()
}

// dropReservationLocked removes a reservation.
func (t *table) dropReservationLocked(id ID) {
	delete(t.reserved, id)
	t.accepted--
}

// signalFreedLocked wakes the goroutines in retryForRoom.
func (t *table) signalFreedLocked() {
	if t.freed != nil {
		close(t.freed)
		t.freed = nil
	}
}

func (t *table) advance() {
	if t.next == t.last {
		t.next, t.wrapped = 0, true
	}
	t.next++
}

// leave removes p and adds its counters to departed.
func (t *table) leave(p *Peer) {
	s := p.Stats()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.peers[p.id] != p {
		return
	}
	delete(t.peers, p.id)
	t.departed.add(&s)
	if p.dialler == nil {
		t.accepted--
	}
	if p.countedLeaving {
		t.leaving--
	}
	t.signalFreedLocked()
	if p.key != "" && t.keys[p.key] == p {
		delete(t.keys, p.key)
	}
}

// all returns the current peers.
func (t *table) all() []*Peer {
	peers, _ := t.snapshot()
	return peers
}

// snapshot returns the current peers, and the counters of all others.
func (t *table) snapshot() ([]*Peer, Stats) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	peers := make([]*Peer, 0, len(t.peers))
	for _, p := range t.peers {
		peers = append(peers, p)
	}
	return peers, t.departed
}
