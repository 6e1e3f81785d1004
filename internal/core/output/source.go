package output

// Source produces output when there is room for it.
type Source interface {
	// AppendOutput appends whole units to dst until it is most bytes long or slightly longer, and reports whether there
	// are more. dst is a buffer from bufpool, which AppendOutput may replace by a larger one. One goroutine at a time
	// calls it. The queue's lock is not held.
	AppendOutput(dst []byte, most int) (_ []byte, more bool)
}

// Lender has output in memory of its own, from which it is sent without copying it.
type Lender interface {
	// Lend appends output to dst, as AppendOutput does, and slices that follow it to data, up to the capacity of data.
	// The slices must stay unchanged until Lend is called again for this queue, or for good if it is not.
	Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool)
}

// maxLent is how many slices a Lender gives at a time.
const maxLent = 4

// origin is where output is drawn from: a Source, a Lender, or nothing.
type origin struct {
	source Source
	lender Lender
}

// none reports whether there is nothing to draw from.
func (o origin) none() bool { return o.source == nil && o.lender == nil }

// appendTo makes o append output to f. It must be called without the queue's lock.
func (o origin) appendTo(f *Flight, most int) (more bool) {
	if o.lender == nil {
		f.tail, more = o.source.AppendOutput(f.tail, most)
		return more
	}
	if f.lent == nil {
		f.lent = make([][]byte, 0, maxLent)
	}
	f.tail, f.lent, more = o.lender.Lend(f.tail, f.lent, most)
	return more
}
