package http2

// table finds streams by identifier. The identifiers of one side are consecutive odd numbers, so their low bits are a
// perfect hash unless a stream outlives many others. Stream structs are reused after their release.
type table struct {
	buckets []*Stream // its length is a power of two
	free    *Stream
	n       int32
	nfree   int32
}

const (
	minBuckets = 8
	maxFree    = 128 // free structs to keep: some 20 KiB
)

func (t *table) bucket(id uint32) *(*Stream) { return &t.buckets[id>>1&uint32(len(t.buckets)-1)] }

func (t *table) find(id uint32) *Stream {
	if t.n == 0 {
		return nil
	}
	s := *t.bucket(id)
	for s != nil && s.id != id {
		s = s.bucketNext
	}
	return s
}

// add returns a new stream. All its fields except the identifier and bucketNext are zero.
func (t *table) add(id uint32) *Stream {
	if int(t.n) == len(t.buckets) {
		t.grow()
	}
	s := t.free
	if s != nil {
		t.free, t.nfree = s.bucketNext, t.nfree-1
	} else {
		s = new(Stream)
	}
	s.id = id
	p := t.bucket(id)
	s.bucketNext, *p = *p, s
	t.n++
	return s
}

func (t *table) remove(s *Stream) {
	p := t.bucket(s.id)
	for *p != s {
		p = &(*p).bucketNext
	}
	*p = s.bucketNext
	t.n--
	*s = Stream{}
	if t.nfree < maxFree {
		s.bucketNext, t.free, t.nfree = t.free, s, t.nfree+1
	}
}

func (t *table) grow() {
	old := t.buckets
	t.buckets = make([]*Stream, max(2*len(old), minBuckets))
	for _, s := range old {
		for s != nil {
			next, p := s.bucketNext, t.bucket(s.id)
			s.bucketNext, *p = *p, s
			s = next
		}
	}
}

// each calls yield for every stream. yield may remove the stream that it is given, but no other.
func (t *table) each(yield func(*Stream) bool) {
	for _, s := range t.buckets {
		for s != nil {
			next := s.bucketNext
			if !yield(s) {
				return
			}
			s = next
		}
	}
}

// trim releases the memory that no stream uses.
func (t *table) trim() {
	t.free, t.nfree = nil, 0
	if t.n == 0 {
		t.buckets = nil
	}
}
