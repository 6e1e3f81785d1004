package http2

// table finds streams by their identifiers. Identifiers of one side are dense, so that their lower bits are a perfect
// hash while no stream outlives the others; structs of streams that were released are used again.
type table struct {
	places []*Stream // a power of two
	free   *Stream
	n      int32
	nfree  int32
}

const (
	minPlaces = 8
	maxFree   = 128 // structs that are kept for new streams: some 20 KiB
)

func (t *table) place(id uint32) *(*Stream) { return &t.places[id>>1&uint32(len(t.places)-1)] }

func (t *table) find(id uint32) *Stream {
	if t.n == 0 {
		return nil
	}
	s := *t.place(id)
	for s != nil && s.id != id {
		s = s.slot
	}
	return s
}

// add makes a stream. All its fields but the identifier are zero.
func (t *table) add(id uint32) *Stream {
	if int(t.n) == len(t.places) {
		t.grow()
	}
	s := t.free
	if s != nil {
		t.free, t.nfree = s.slot, t.nfree-1
	} else {
		s = new(Stream)
	}
	s.id = id
	p := t.place(id)
	s.slot, *p = *p, s
	t.n++
	return s
}

func (t *table) remove(s *Stream) {
	p := t.place(s.id)
	for *p != s {
		p = &(*p).slot
	}
	*p = s.slot
	t.n--
	*s = Stream{}
	if t.nfree < maxFree {
		s.slot, t.free, t.nfree = t.free, s, t.nfree+1
	}
}

func (t *table) grow() {
	old := t.places
	t.places = make([]*Stream, max(2*len(old), minPlaces))
	for _, s := range old {
		for s != nil {
			next, p := s.slot, t.place(s.id)
			s.slot, *p = *p, s
			s = next
		}
	}
}

// each calls yield for every stream; yield may remove the stream it is given, and no other.
func (t *table) each(yield func(*Stream) bool) {
	for _, s := range t.places {
		for s != nil {
			next := s.slot
			if !yield(s) {
				return
			}
			s = next
		}
	}
}

// trim gives back what no stream needs.
func (t *table) trim() {
	t.free, t.nfree = nil, 0
	if t.n == 0 {
		t.places = nil
	}
}
