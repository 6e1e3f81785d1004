package netconn

import (
	"net"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/inbuf"
	"github.com/shockwave-go/shockwave/internal/core/peerrate"
)

// Pulled is a connection that its user reads from. The goroutine that calls Fill, Read, Unread, Take, Retain and
// finally Finish owns it, one goroutine at a time. A Pulled has no goroutine of its own and no Protocol. The methods of
// Link may be called by any goroutine.
type Pulled struct {
	Link
	user        Owner // next to the fields of Link that a broadcast reads
	in          inbuf.Buffer
	rate        peerrate.Reads
	puller      *puller     // on a socket; created by the first Fill or Fresh
	interrupted atomic.Bool // set by Interrupt
	onlyArrived bool        // writing has failed: reads only return input that has arrived
	watch       atomic.Pointer[watch]
}

// Owner is the user of a Pulled. It may implement Alarmer and Breaker.
type Owner interface {
	// Drain is called at Shutdown: the owner tells the peer that the connection ends, and Finish is called when the
	// peer has been told. Drain must not block. It may be called twice.
	Drain()
}

// newPulled returns a Pulled over nc, which is not on the engine's list yet.
func newPulled(e *core, nc net.Conn, raw bool, user Owner) *Pulled {
	p := &Pulled{user: user}
	p.Link.init(e, p, nc, raw)
	return p
}

func (p *Pulled) owner() any { return p.user }
func (p *Pulled) drain()     { p.user.Drain() }

// wake implements reader.
func (p *Pulled) wake() {
	if w := p.watch.Load(); w != nil {
		p.fire(w)
		return
	}
	p.tr.WakeReader()
}

// writeFailed implements reader.
func (p *Pulled) writeFailed() {
	p.wake()
	if b, ok := p.user.(Breaker); ok {
		go b.Broke()
	}
}

// Unread returns the input that has not been taken. It is valid until the next Fill or Read.
func (p *Pulled) Unread() []byte { return p.in.Unread() }

// Retain keeps the bytes of Unread unchanged, taken or not, until Release is called on the result. It allows passing
// them on without a copy.
func (p *Pulled) Retain() *bufpool.Shared { return p.in.Retain() }

// Take takes n bytes of Unread.
func (p *Pulled) Take(n int) { p.in.Take(n) }

// Fill waits until more bytes have arrived and returns Unread. Before it waits it sends as much of the output held back
// as the socket takes: the peer may not read until it has written. Fill fails with io.EOF, ErrSlow (the read deadline
// has passed, or the peer is below MinReadRate), ErrFull, the error of a failed write, or the error of the connection.
// Unread bytes are kept.
func (p *Pulled) Fill() ([]byte, error) { return p.FillOnWait(nil) }

// FillOnWait is Fill, and calls onWait, unless nil, before it waits, perhaps more than once. If input arrives while other
// goroutines run, a socket's reader does not wait.
func (p *Pulled) FillOnWait(onWait func()) ([]byte, error) {
	for {
		began, err := p.begin()
		if err != nil {
			return nil, err
		}
		var n int
		switch {
		case !p.tr.Socket():
			n, err = p.readInto(onWait)
		case p.tr.Secured():
			n, err = p.pullTLS(onWait)
		default: // few frames: see puller
			if err = p.lendSpace(); err == nil {
				n, err = p.receive(onWait)
				p.takeSpace(n)
			}
		}
		p.in.Arrived(n)
		if again, err := p.endRead(&p.rate, began, n, err); !again {
			if err != nil {
				return nil, err
			}
			return p.Unread(), nil
		}
	}
}

// space returns the space behind the unread input for the next receive.
func (p *Pulled) space() ([]byte, error) { return p.in.Space(p.eng.readBuffer, p.eng.maxUnread) }

// readInto reads behind the unread input from a transport that is not a socket. onWait, unless nil, is called before.
func (p *Pulled) readInto(onWait func()) (int, error) {
	space, err := p.space()
	if err != nil {
		return 0, err
	}
	if onWait != nil {
		onWait()
	}
	return p.read(space)
}

// Read copies bytes of Unread to b and takes them. If Unread is empty, it waits for input and reads it into b. It fails
// as Fill does.
func (p *Pulled) Read(b []byte) (int, error) {
	if !p.in.Empty() || len(b) == 0 {
		if p.ReadExpired() {
			return 0, p.slow()
		}
		n := copy(b, p.Unread())
		p.Take(n)
		return n, nil
	}
	for {
		began, err := p.begin()
		if err != nil {
			return 0, err
		}
		if p.onlyArrived {
			return p.readArrived(b)
		}
		n, err := p.read(b)
		if again, err := p.endRead(&p.rate, began, n, err); !again {
			return n, err
		}
	}
}

// readArrived is Read after writing has failed: it returns only input that has arrived.
func (p *Pulled) readArrived(b []byte) (int, error) {
	in, err := p.Fill()
	if err != nil {
		return 0, err
	}
	n := copy(b, in)
	p.Take(n)
	return n, nil
}

// begin prepares a wait. After writing has failed there is no wait: a socket is asked for input that has arrived
// already, which may contain the reason, and then reading fails with the error of the write.
func (p *Pulled) begin() (began int64, err error) {
	if err := p.push(); err != nil {
		if p.aborted() || !p.tr.Socket() {
			return 0, err
		}
		p.onlyArrived = true
	}
	if p.interrupted.Load() {
		return 0, ErrInterrupted
	}
	return p.beginRead(&p.rate, false)
}

// Interrupt(true) makes Fill and Read fail with ErrInterrupted, including a call that is waiting, until
// Interrupt(false). No input is lost. Any goroutine may call it.
func (p *Pulled) Interrupt(on bool) {
	p.interrupted.Store(on)
	if on {
		p.wake()
	}
}

// Finish ends the connection as it would if Data returned err; see Protocol. It waits until the queued output has been
// sent. p must not be used afterwards.
func (p *Pulled) Finish(err error) {
	if p.aborted() {
		err = ErrAbort
	}
	p.shut(endingFor(err, !p.in.Empty()))
	p.in.TakeAll()
	p.in.Release()
	p.leaveEngine()
}
