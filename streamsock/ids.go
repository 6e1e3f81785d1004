package streamsock

import (
	"sync"
	"time"
)

// table knows the peers by their ids and by their keys. Ids are handed out in turn; none is handed out that is in use.
type table struct {
	mu    sync.RWMutex
	peers map[ID]*Peer
	seats map[ID]struct{} // ids of accepted peers that are to come: they count as if they were there
	keys  map[string]*Peer
	last  ID    // the largest id
	next  ID    // handed out next, if it is free
	round bool  // every id has been handed out
	most  int   // accepted peers; 0: any number
	count int   // accepted ones
	past  Stats // what the counters of those were who have left

	parting int           // peers whose user knows that they are gone, and that still are here
	freed   chan struct{} // closed when one has left; nil if nobody waits for that
}

// parts notes that p's user is about to be told that it is gone: its id is free in a moment.
func (t *table) parts(p *Peer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !p.parts {
		p.parts = true
		t.parting++
	}
}

// courtesy is how long a newcomer waits for somebody's place who is known to be gone.
const courtesy = time.Second

// settled calls try, and again whenever somebody has left whose user knows of it, as long as it fails for want of room.
func (t *table) settled(try func() error) error {
	late := time.NewTimer(courtesy)
	defer late.Stop()
	for {
		t.mu.Lock()
		if t.freed == nil {
			t.freed = make(chan struct{})
		}
		freed, parting := t.freed, t.parting
		t.mu.Unlock()
		err := try()
		if err != errMaxPeers && err != errNoID || parting == 0 {
			return err
		}
		select {
		case <-freed:
		case <-late.C:
			return err
		}
	}
}

// get returns the peer with an id, or why there is none.
func (t *table) get(id ID) (*Peer, error) {
	t.mu.RLock()
	p := t.peers[id]
	t.mu.RUnlock()
	if p == nil {
		return nil, t.missing(id)
	}
	return p, nil
}

// missing tells why nobody has an id.
func (t *table) missing(id ID) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if _, ok := t.seats[id]; !ok && id != 0 && id <= t.last && (t.round || id < t.next) {
		return ErrGone
	}
	return ErrNoPeer
}

// enter gives p an id, that of its seat if it has one, and its key if it has one. Where another peer has that key it returns
// that one instead. It fails when there is no id left, or too many accepted peers are there already.
func (t *table) enter(p *Peer, seat ID) (other *Peer, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if seat != 0 {
		t.vacate(seat)
	}
	if p.key != "" {
		if other = t.keys[p.key]; other != nil {
			return other, nil
		}
	}
	if p.id = seat; seat == 0 {
		if p.id, err = t.pick(p.dialler == nil); err != nil {
			return nil, err
		}
	}
	t.peers[p.id] = p
	if p.dialler == nil {
		t.count++
	}
	if p.key != "" {
		t.keys[p.key] = p
	}
	return p, nil
}

// pick returns the next id that is free. t.mu is held.
func (t *table) pick(accepted bool) (ID, error) {
	if accepted && t.most > 0 && t.count >= t.most {
		return 0, errMaxPeers
	}
	if uint64(len(t.peers)+len(t.seats)) >= uint64(t.last) {
		return 0, errNoID
	}
	for t.taken(t.next) {
		t.advance()
	}
	id := t.next
	t.advance()
	return id, nil
}

// taken reports whether somebody has an id, or is to have it. t.mu is held.
func (t *table) taken(id ID) bool {
	_, ok := t.seats[id]
	return ok || t.peers[id] != nil
}

// seat sets an id aside for an accepted peer that is about to come. It is 0 for who has the key of a peer that is there.
func (t *table) seat(key string) (ID, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if key != "" && t.keys[key] != nil {
		return 0, nil
	}
	id, err := t.pick(true)
	if err == nil {
		t.seats[id] = struct{}{}
		t.count++
	}
	return id, err
}

// unseat takes back an id whose peer does not come; 0 is nobody's.
func (t *table) unseat(id ID) {
	if id == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.vacate(id)
	if !t.round && id+1 == t.next {
		t.next = id // nobody has heard of it
	}
	t.free()
}

// vacate ends the keeping of a seat. t.mu is held.
func (t *table) vacate(id ID) {
	delete(t.seats, id)
	t.count--
}

// free tells who waits in settled that there is room. t.mu is held.
func (t *table) free() {
	if t.freed != nil {
		close(t.freed)
		t.freed = nil
	}
}

func (t *table) advance() {
	if t.next == t.last {
		t.next, t.round = 0, true
	}
	t.next++
}

// leave takes p's id back, and keeps what it has counted.
func (t *table) leave(p *Peer) {
	s := p.Stats()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.peers[p.id] != p {
		return
	}
	delete(t.peers, p.id)
	t.past.add(&s)
	if p.dialler == nil {
		t.count--
	}
	if p.parts {
		t.parting--
	}
	t.free()
	if p.key != "" && t.keys[p.key] == p {
		delete(t.keys, p.key)
	}
}

// all returns the peers of this moment.
func (t *table) all() []*Peer {
	peers, _ := t.everybody()
	return peers
}

// everybody returns the peers of this moment, and what was counted of all others.
func (t *table) everybody() ([]*Peer, Stats) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	peers := make([]*Peer, 0, len(t.peers))
	for _, p := range t.peers {
		peers = append(peers, p)
	}
	return peers, t.past
}
