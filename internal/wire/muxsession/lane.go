package muxsession

// lane is a queue of channels from which any can be removed at once. Each channel records its place there in one of its
// fields, 0 when it is in none.
type lane struct {
	places []place
	first  int // index of the first place that may be taken
	used   int // how many places are taken
}

// place is a place in a lane. It is free when c is nil.
type place struct {
	c  *Channel
	at *int32 // where c records its place: the index and 1 more
}

// add appends c, unless it is in the lane already.
func (l *lane) add(c *Channel, at *int32) {
	if *at != 0 {
		return
	}
	if len(l.places) > 2*l.used+8 {
		l.compact()
	}
	l.places = append(l.places, place{c, at})
	*at = int32(len(l.places))
	l.used++
}

// put adds c or removes it.
func (l *lane) put(c *Channel, at *int32, in bool) {
	if in {
		l.add(c, at)
	} else {
		l.remove(at)
	}
}

// remove removes the channel that has recorded its place at at, if it has one.
func (l *lane) remove(at *int32) {
	if *at == 0 {
		return
	}
	l.places[*at-1] = place{}
	*at = 0
	if l.used--; l.used > 0 {
		return
	}
	if l.places, l.first = l.places[:0], 0; cap(l.places) > maxFreePlaces {
		l.places = nil
	}
}

// maxFreePlaces is how many places a lane without channels keeps for the next ones.
const maxFreePlaces = 16

// front returns the first channel, nil if there is none.
func (l *lane) front() *Channel {
	if l.used == 0 {
		return nil
	}
	for l.places[l.first].c == nil {
		l.first++
	}
	return l.places[l.first].c
}

// compact removes the free places.
func (l *lane) compact() {
	kept := l.places[:0]
	for _, p := range l.places {
		if p.c != nil {
			kept = append(kept, p)
			*p.at = int32(len(kept))
		}
	}
	clear(l.places[len(kept):])
	l.places, l.first = kept, 0
}
