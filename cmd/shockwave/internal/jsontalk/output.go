package jsontalk

import (
	"encoding/json"
	"io"
	"sync"
	"unicode/utf8"
)

// Output writes lines, each as soon as it is there. Who has one to write waits while more than bound bytes are waiting for
// who reads: memory stays bounded, and whoever brings messages is slowed. All methods may be called concurrently.
type Output struct {
	w io.Writer

	mu      sync.Mutex
	changed sync.Cond
	buf     []byte // lines that wait
	begun   int    // of buf: where the members of the event in hand begin
	writing bool   // bytes are being written
	closed  bool
	err     error
	failed  chan struct{} // closed with the first error
	ended   chan struct{} // closed when nothing is written any more
}

// bound is how many bytes of lines wait before the next one has to.
const bound = 64 << 10

// keep is how large a buffer may be that is kept.
const keep = 1 << 20

// NewOutput returns an Output that writes to w.
func NewOutput(w io.Writer) *Output {
	o := &Output{w: w, failed: make(chan struct{}), ended: make(chan struct{})}
	o.changed.L = &o.mu
	go o.run()
	return o
}

// run writes what is there.
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

// begin waits for room; o.mu is held when it returns.
func (o *Output) begin() {
	o.mu.Lock()
	for len(o.buf) >= bound && o.err == nil {
		o.changed.Wait()
	}
	if o.err != nil {
		o.buf = o.buf[:0] // nobody reads
	}
}

// Event begins an event. Nobody else writes until its End.
func (o *Output) Event(name string) *Event {
	o.begin()
	o.begun = len(o.buf) + 1
	e := &Event{out: o, b: append(o.buf, '{')}
	return e.Str("event", name)
}

// End ends the event: its line is complete.
func (e *Event) End() {
	o := e.out
	o.buf = append(e.b, '}', '\n')
	o.changed.Broadcast()
	o.mu.Unlock()
}

// OK writes the answer to a command that was carried out, if it has a tag.
func (o *Output) OK(tag json.RawMessage) {
	if len(tag) > 0 {
		o.Event("ok").Raw("tag", tag).End()
	}
}

// Error writes that a command failed. A tag that is not UTF-8 is left out: what is written is.
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

// Close returns when everything has been written, and what writing has failed with.
func (o *Output) Close() error {
	o.mu.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mu.Unlock()
	<-o.ended
	return o.err
}
