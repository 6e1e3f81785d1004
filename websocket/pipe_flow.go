package websocket

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// flow is one direction of a pair.
type flow struct {
	writing sync.Mutex // held for the length of a write, so that writes do not mix

	mu              sync.Mutex
	changed         sync.Cond
	buf             []byte // buf[read:] has been written and not been read
	taken           int
	ended           bool // the writer has said all
	left            bool // the reader has gone
	readBy, writeBy memoryDeadline
}

func newFlow() *flow {
	f := new(flow)
	f.changed.L = &f.mu
	return f
}

func (f *flow) read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.left:
			return 0, net.ErrClosed
		case f.readBy.passed:
			return 0, os.ErrDeadlineExceeded
		case f.taken < len(f.buf) || len(p) == 0:
			n := copy(p, f.buf[f.taken:])
			if f.taken += n; f.taken == len(f.buf) {
				f.buf, f.taken = f.buf[:0], 0
			}
			f.changed.Broadcast()
			return n, nil
		case f.ended:
			return 0, io.EOF
		}
		f.changed.Wait()
	}
}

func (f *flow) write(p []byte) (n int, err error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.ended:
			return n, net.ErrClosed
		case f.left:
			return n, io.ErrClosedPipe
		case f.writeBy.passed:
			return n, os.ErrDeadlineExceeded
		}
		room := memoryBuffer - (len(f.buf) - f.taken)
		piece := p[n:min(len(p), n+room)]
		if f.taken > 0 && len(piece) > cap(f.buf)-len(f.buf) {
			f.buf, f.taken = f.buf[:copy(f.buf, f.buf[f.taken:])], 0
		}
		f.buf = append(f.buf, piece...)
		if n += len(piece); len(piece) > 0 {
			f.changed.Broadcast()
		}
		if n == len(p) {
			return n, nil
		}
		f.changed.Wait()
	}
}

// end says that nothing more is written.
func (f *flow) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.writeBy.stop()
	f.changed.Broadcast()
}

// leave says that nobody reads any more.
func (f *flow) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.buf, f.taken = true, nil, 0
	f.readBy.stop()
	f.changed.Broadcast()
}

// memoryDeadline is when waits of one kind fail; its flow's mu guards it.
type memoryDeadline struct {
	timer  *time.Timer
	passed bool
}

func (d *memoryDeadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

func (f *flow) setDeadline(d *memoryDeadline, t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d.stop()
	d.passed = !t.IsZero() && !time.Now().Before(t)
	if d.passed {
		f.changed.Broadcast()
	} else if !t.IsZero() {
		var timer *time.Timer
		timer = time.AfterFunc(time.Until(t), func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			if d.timer == timer { // it has not been set anew meanwhile
				d.passed = true
				f.changed.Broadcast()
			}
		})
		d.timer = timer
	}
}
