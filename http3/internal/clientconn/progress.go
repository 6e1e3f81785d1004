package clientconn

import (
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/expect"
)

// progress records how far a request and its response have come, for the goroutines that use them. All methods may be called
// concurrently.
type progress struct {
	mu        sync.Mutex
	why       error // why we have ended the exchange
	response  arrival
	continued bool  // 100 Continue has come
	sent      bool  // the request was sent whole
	stopped   error // what sending fails with
	users     int   // goroutines that have not left
	proceed   expect.Wait
	headTimer *time.Timer
}

// arrival says how much of a response has arrived.
type arrival uint8

const (
	awaited arrival = iota
	headed          // the final head
	whole           // all: it was read to its end
)

// abort records why the exchange was ended. It returns false if it was ended before, or if the response was read to its end.
func (p *progress) abort(why error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why != nil || p.response == whole {
		return false
	}
	p.why = why
	p.proceed.EndLocked()
	return true
}

// reason returns why the exchange was ended, or nil.
func (p *progress) reason() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// stop returns the reason why nothing more is sent, or nil.
func (p *progress) stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped != nil {
		return p.stopped
	}
	return p.why
}

// stopSending makes sending fail with err. It returns false if no goroutine sends.
func (p *progress) stopSending(err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped == nil {
		p.stopped = err
	}
	p.proceed.EndLocked()
	return p.users > 0
}

// noteSent records that the whole request was sent.
func (p *progress) noteSent() {
	p.mu.Lock()
	p.sent = true
	p.mu.Unlock()
}

// noteHead records that the head of the final response, or 100 Continue, has arrived.
func (p *progress) noteHead(final bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if final {
		p.response = headed
		if p.headTimer != nil {
			p.headTimer.Stop()
		}
	} else {
		p.continued = true
	}
	p.proceed.EndLocked()
}

// hasHead reports whether the head of the final response has arrived.
func (p *progress) hasHead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.response != awaited
}

// noteWhole records that the response was read to its end.
func (p *progress) noteWhole() {
	p.mu.Lock()
	p.response = whole
	p.mu.Unlock()
}

// expire calls late after d if the final head has not arrived.
func (p *progress) expire(d time.Duration, late func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > 0 && p.response == awaited && p.headTimer == nil && p.why == nil {
		p.headTimer = time.AfterFunc(d, late)
	}
}

// await waits until the server asks for the content, d has passed or done is closed. After a final head without 100 Continue the
// content is not wanted.
func (p *progress) await(d time.Duration, done <-chan struct{}) (wanted bool) {
	p.mu.Lock()
	over := p.proceed.Over()
	p.mu.Unlock()
	expect.For(over, d, done)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why == nil && p.stopped == nil && (p.continued || p.response == awaited)
}

// join adds a goroutine.
func (p *progress) join() {
	p.mu.Lock()
	p.users++
	p.mu.Unlock()
}

// leave removes a goroutine. For the last one it returns which halves of the stream have not ended.
func (p *progress) leave() (last, sending, receiving bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users--
	last = p.users == 0
	if last && p.headTimer != nil {
		p.headTimer.Stop()
	}
	p.proceed.EndLocked()
	return last, !p.sent, p.response != whole
}

// isUsed reports whether there are goroutines that have not left.
func (p *progress) isUsed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.users > 0
}
