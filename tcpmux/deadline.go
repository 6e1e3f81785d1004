package tcpmux

import "time"

// deadline is the deadline of one direction of a channel. The session's lock guards it.
type deadline struct {
	timer   *time.Timer
	passed  chan struct{} // closed when the deadline has passed; nil: there is none
	changed chan struct{} // closed when the deadline is changed; made by watch
}

// set changes the deadline and tells the goroutines that watch it.
func (d *deadline) set(t time.Time) {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
	d.passed = nil
	if t.IsZero() {
		return
	}
	passed := make(chan struct{})
	d.passed = passed
	if wait := time.Until(t); wait > 0 {
		d.timer = time.AfterFunc(wait, func() { close(passed) })
	} else {
		close(passed)
	}
}

// expired returns a channel that is closed when the deadline has passed, nil if there is no deadline.
func (d *deadline) expired() <-chan struct{} { return d.passed }

// watch is expired, and also returns a channel that is closed when the deadline is changed.
func (d *deadline) watch() (expired, changed <-chan struct{}) {
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return d.passed, d.changed
}

// exceeded reports whether the deadline has passed.
func (d *deadline) exceeded() bool {
	if d.passed == nil {
		return false
	}
	select {
	case <-d.passed:
		return true
	default:
		return false
	}
}
