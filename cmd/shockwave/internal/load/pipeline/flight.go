package pipeline

import "github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"

// flight holds the requests in flight on a connection in a ring, oldest first. Requests that were sent together share a
// row.
type flight struct {
	first int
	used  int // used rows
	total int // requests in all rows
	rows  []drive.Group
	row   [1]drive.Group // storage of rows for a single request
}

// makeRoom allocates rows for most requests. f must not be copied afterwards.
func (f *flight) makeRoom(most int) {
	if f.rows = f.row[:]; most > 1 {
		f.rows = make([]drive.Group, most)
	}
}

// push appends the requests of g.
func (f *flight) push(g drive.Group) {
	f.total += g.N
	if f.used > 0 {
		last := &f.rows[(f.first+f.used-1)%len(f.rows)]
		if last.Due == g.Due && last.Sent == g.Sent {
			last.N += g.N
			return
		}
	}
	f.rows[(f.first+f.used)%len(f.rows)] = g
	f.used++
}

// oldest returns the group of the request that is answered next. flight must not be empty.
func (f *flight) oldest() *drive.Group { return &f.rows[f.first] }

// pop removes the oldest request.
func (f *flight) pop() {
	d := &f.rows[f.first]
	d.N--
	f.total--
	if d.N == 0 {
		f.used--
		if f.first++; f.first == len(f.rows) {
			f.first = 0
		}
	}
}
