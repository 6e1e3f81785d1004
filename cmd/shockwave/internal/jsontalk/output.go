package jsontalk

import (
	"encoding/json"
	"io"
	"sync"
	"unicode/utf8"
)

// Output writes lines to an io.Writer from a goroutine of its own, each as soon as possible. While more than bound
// bytes are waiting to be written, callers that add a line block: this bounds memory and slows the sources of the
// messages. All methods may be called concurrently.
type Output struct {
	w io.Writer

	mu      sync.Mutex
	changed sync.Cond
	buf     []byte // lines to be written
	begun   int    // offset in buf of the members of the current event
	writing bool   // a Write is in progress
	closed  bool
	err     error
	failed  chan struct{} // closed at the first error
	ended   chan struct{} // closed when run has returned
}

// bound is how many bytes may be pending before the next line has to wait.
const bound = 64 << 10

// keep is the maximum capacity of a buffer that is kept for reuse.
const keep = 1 << 20

// NewOutput returns an Output that writes to w.
func NewOutput(w io.Writer) *Output {
	o := &Output{w: w, failed: make(chan struct{}), ended: make(chan struct{})}
	o.changed.L = &o.mu
	go o.run()
	return o
}

// run writes pending lines until Close.
func (o *Output) run() {
	defer close(o.ended)
	var spare []byte
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.buf) == 0 && !o.closed {
			o.changed.Wait()
		}
		if len(o.buf) == 0 {
			return
		}
		out := o.buf
		o.buf, o.writing = spare[:0], true
		o.changed.Broadcast()
		o.mu.Unlock()
		_, err := o.w.Write(out)
		if spare = out; cap(spare) > keep {
			spare = nil
		}
		o.mu.Lock()
		o.writing = false
		if err != nil && o.err == nil {
			o.err = err
			close(o.failed)
		}
		o.changed.Broadcast()
	}
}

// begin locks o.mu and waits until another line may be added.
func (o *Output) begin() {
	o.mu.Lock()
	for len(o.buf) >= bound && o.err == nil {
		o.changed.Wait()
	}
	if o.err != nil {
		o.buf = o.buf[:0] // the output is gone: drop
	}
}

// Event begins an event. It locks the output until Event.End.
func (o *Output) Event(name string) *Event {
	o.begin()
	o.begun = len(o.buf) + 1
	e := &Event{out: o, b: append(o.buf, '{')}
	return e.Str("event", name)
}

// End completes the event's line.
func (e *Event) End() {
	o := e.out
	o.buf = append(e.b, '}', '\n')
	o.changed.Broadcast()
	o.mu.Unlock()
}

// OK writes the answer to a successful command, if it has a tag.
func (o *Output) OK(tag json.RawMessage) {
	if len(tag) > 0 {
		o.Event("ok").Raw("tag", tag).End()
	}
}

// Error writes that a command failed. A tag that is not valid UTF-8 is left out.
func (o *Output) Error(tag json.RawMessage, err error) {
	if !utf8.Valid(tag) {
		tag = nil
	}
	o.Event("error").Raw("tag", tag).Str("error", err.Error()).End()
}

// Line writes p and a newline.
func (o *Output) Line(p []byte) {
	o.begin()
	o.buf = append(append(o.buf, p...), '\n')
	o.changed.Broadcast()
	o.mu.Unlock()
}

// Failed returns a channel that is closed when writing has failed.
func (o *Output) Failed() <-chan struct{} { return o.failed }

// Close waits until everything is written, and returns the first error of writing.
func (o *Output) Close() error {
	o.mu.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mu.Unlock()
	<-o.ended
	return o.err
}
