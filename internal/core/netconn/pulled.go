package netconn

import (
	"net"
	"sync/atomic"
)

// Pulled is a connection that its user reads from. The goroutine that calls Fill, Read, Unread, Take, Retain and
// finally Finish owns it, one goroutine at a time. A Pulled has no goroutine of its own and no Protocol. The methods of
// Link may be called by any goroutine.
type Pulled struct {
	user Owner // first, next to the fields of Link that a broadcast reads
	Link
	input
	rate        readAccount
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

// Pull returns a Pulled on nc. ahead has been read from nc already. If the engine has ended, Pull closes nc and returns
// ErrShutdown.
//
// A *tls.Conn that comes from TLSClient or from Hijack runs on the net.Conn below it. Any other *tls.Conn is used as
// the transport itself: it cannot use the lot, and no longer works after a deadline has cut a write.
func (e *Engine) Pull(nc net.Conn, ahead []byte, user Owner) (*Pulled, error) {
	p := &Pulled{user: user}
	p.Link.init(&e.core, p, nc, e.cfg.Loop == Auto)
	if !e.add(&p.Link) {
		p.refuse(nc)
		return nil, ErrShutdown
	}
	p.keep(ahead, e.cfg.ReadBuffer)
	return p, nil
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

// Breaker is an Owner or a Protocol that wants to know when writing has failed, even if no goroutine reads. Broke is
// called on a goroutine of its own.
type Breaker interface{ Broke() }

// writeFailed implements reader.
func (p *Pulled) writeFailed() {
	p.wake()
	if b, ok := p.user.(Breaker); ok {
		go b.Broke()
	}
}

// Take takes n bytes of Unread.
func (p *Pulled) Take(n int) { p.take(n) }

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
		p.w += n
		if again, err := p.endRead(&p.rate, began, n, err); !again {
			if err != nil {
				return nil, err
			}
			return p.Unread(), nil
		}
	}
}

// readInto reads behind the unread input from a transport that is not a socket. onWait, unless nil, is called before.
func (p *Pulled) readInto(onWait func()) (int, error) {
	space, err := p.space(p.eng.cfg.ReadBuffer, p.eng.cfg.MaxUnread)
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
	if p.r < p.w || len(b) == 0 {
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
	p.shut(endingFor(err, p.r < p.w))
	p.r = p.w
	p.release()
	p.eng.remove(&p.Link)
}
