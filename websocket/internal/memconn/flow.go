package memconn

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// flow is one direction of a memory connection.
type flow struct {
	writing sync.Mutex // held during a whole write, so that writes do not mix

	mu              sync.Mutex
	changed         sync.Cond
	buf             []byte // buf[readPos:] has been written but not read
	readPos         int
	writeClosed     bool // the writer has closed its end
	readClosed      bool // the reader has closed its end
	readBy, writeBy deadline
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
		case f.readClosed:
			return 0, net.ErrClosed
		case f.readBy.passed:
			return 0, os.ErrDeadlineExceeded
		case f.readPos < len(f.buf) || len(p) == 0:
			n := copy(p, f.buf[f.readPos:])
			if f.readPos += n; f.readPos == len(f.buf) {
				f.buf, f.readPos = f.buf[:0], 0
			}
			f.changed.Broadcast()
			return n, nil
		case f.writeClosed:
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
		case f.writeClosed:
			return n, net.ErrClosed
		case f.readClosed:
			return n, io.ErrClosedPipe
		case f.writeBy.passed:
			return n, os.ErrDeadlineExceeded
		}
		room := Buffer - (len(f.buf) - f.readPos)
		piece := p[n:min(len(p), n+room)]
		if f.readPos > 0 && len(piece) > cap(f.buf)-len(f.buf) {
			f.buf, f.readPos = f.buf[:copy(f.buf, f.buf[f.readPos:])], 0
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

// closeWrite ends the writer's side.
func (f *flow) closeWrite() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writeClosed = true
	f.writeBy.stop()
	f.changed.Broadcast()
}

// closeRead ends the reader's side.
func (f *flow) closeRead() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readClosed, f.buf, f.readPos = true, nil, 0
	f.readBy.stop()
	f.changed.Broadcast()
}

// deadline is a read or write deadline of a flow. The flow's mu guards it.
type deadline struct {
	timer  *time.Timer
	passed bool
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

func (f *flow) setDeadline(d *deadline, t time.Time) {
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
			if d.timer == timer { // false if the deadline has been changed meanwhile
				d.passed = true
				f.changed.Broadcast()
			}
		})
		d.timer = timer
	}
}
