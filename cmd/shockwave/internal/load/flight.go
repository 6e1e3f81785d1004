package load

// flight holds the requests in flight on a connection in a ring, oldest first. Requests that were sent together share a
// row.
type flight struct {
	first int
	used  int // used rows
	total int // requests in all rows
	rows  []sendGroup
	row   [1]sendGroup // storage of rows for a single request
}

// sendGroup is a number of requests with the same times, in nanoseconds since the beginning of the run.
type sendGroup struct {
	due  int64 // when they should have been sent
	sent int64 // when they were sent
	n    int
}

// makeRoom allocates rows for most requests. f must not be copied afterwards.
func (f *flight) makeRoom(most int) {
	if f.rows = f.row[:]; most > 1 {
		f.rows = make([]sendGroup, most)
	}
}

// push appends n requests.
func (f *flight) push(due, sent int64, n int) {
	f.total += n
	if f.used > 0 {
		last := &f.rows[(f.first+f.used-1)%len(f.rows)]
		if last.due == due && last.sent == sent {
			last.n += n
			return
		}
	}
	f.rows[(f.first+f.used)%len(f.rows)] = sendGroup{due, sent, n}
	f.used++
}

// oldest returns the group of the request that is answered next. flight must not be empty.
func (f *flight) oldest() *sendGroup { return &f.rows[f.first] }

// pop removes the oldest request.
func (f *flight) pop() {
	d := &f.rows[f.first]
	d.n--
	f.total--
	if d.n == 0 {
		f.used--
		if f.first++; f.first == len(f.rows) {
			f.first = 0
		}
	}
}

// clear removes all requests.
func (f *flight) clear() { f.first, f.used, f.total = 0, 0, 0 }

// olderThan returns how many requests were sent before moment.
func (f *flight) olderThan(moment int64) (n int64) {
	for i := range f.used {
		if d := &f.rows[(f.first+i)%len(f.rows)]; d.sent < moment {
			n += int64(d.n)
		}
	}
	return n
}
