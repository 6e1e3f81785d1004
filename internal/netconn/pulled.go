package netconn

import (
	"net"
	"sync/atomic"
)

// Pulled is a connection from which somebody reads: whoever calls Fill, Read, Unread, Take and Retain, one goroutine at a
// time, and in the end Finish, owns it. It has no goroutine and no Protocol. The methods of Link are for all.
type Pulled struct {
	who Owner // beside what a broadcast looks at
	Link
	input
	rate        readAccount
	puller      *puller     // of a socket; made by the first Fill
	interrupted atomic.Bool // see Interrupt
	onlyArrived bool        // writing has failed, and reads bring only what has arrived
	watch       atomic.Pointer[watch]
}

// Owner is whom a Pulled belongs to, besides those who read from it. It may be an Alarmer, too.
type Owner interface {
	// Drain is called when Shutdown is: the owner tells the peer that this is the end, and Finish is called when that has
	// been heard. It must not wait, and may be called twice.
	Drain()
}

// Pull makes a Pulled of nc, from which ahead has been read already. It returns ErrShutdown, with nc closed, when the
// engine ends.
//
// On a *tls.Conn of TLSClient, or of Hijack, it runs as on the net.Conn below. Any other is the transport itself: it has
// no lot, and is lost when a deadline cuts a write.
func (e *Engine) Pull(nc net.Conn, ahead []byte, who Owner) (*Pulled, error) {
	p := &Pulled{who: who}
	p.Link.init(&e.core, p, nc, e.cfg.Loop == Auto)
	if !e.add(&p.Link) {
		p.refuse(nc)
		return nil, ErrShutdown
	}
	p.keep(ahead, e.cfg.ReadBuffer)
	return p, nil
}

func (p *Pulled) owner() any { return p.who }
func (p *Pulled) drain()     { p.who.Drain() }

// wake implements reader.
func (p *Pulled) wake() {
	if w := p.watch.Load(); w != nil {
		p.fire(w)
		return
	}
	p.tr.WakeReader()
}

// Breaker is an Owner, or a Protocol, that wants to know when writing has failed, though perhaps nobody reads. Broke is
// called on a goroutine of its own.
type Breaker interface{ Broke() }

// broken implements reader.
func (p *Pulled) writeFailed() {
	p.wake()
	if b, ok := p.who.(Breaker); ok {
		go b.Broke()
	}
}

// Take says that n bytes of Unread are taken.
func (p *Pulled) Take(n int) { p.take(n) }

// Fill waits until more bytes have arrived and returns Unread. What is held back leaves before, as far as the connection
// takes it: a peer may do nothing but write, too. Fill fails with io.EOF, ErrSlow (the read deadline has passed, or the
// peer is below MinReadRate), ErrFull, what writing has failed with, or what the connection says; what is unread stays.
func (p *Pulled) Fill() ([]byte, error) {
	for {
		began, err := p.begin()
		if err != nil {
			return nil, err
		}
		var n int
		if p.tr.Socket() {
			n, err = p.pull()
		} else if space, full := p.space(p.eng.cfg.ReadBuffer, p.eng.cfg.MaxUnread); full == nil {
			n, err = p.read(space)
		} else {
			err = full
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

// Read copies from Unread and takes what it copied, or, if that is empty, waits for what arrives and reads it into b. It
// fails as Fill does.
func (p *Pulled) Read(b []byte) (int, error) {
	if p.r < p.w || len(b) == 0 {
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

// readArrived is Read of what has arrived on a connection on which writing has failed.
func (p *Pulled) readArrived(b []byte) (int, error) {
	in, err := p.Fill()
	if err != nil {
		return 0, err
	}
	n := copy(b, in)
	p.Take(n)
	return n, nil
}

// begin begins a wait. When writing has failed nothing is waited for: a socket is asked what has arrived already, which
// may say why, and then reading fails with the same.
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

// Interrupt has Fill and Read fail with ErrInterrupted, also one that waits, until it is taken back. Nothing is lost by
// it. Anybody may call it.
func (p *Pulled) Interrupt(on bool) {
	p.interrupted.Store(on)
	if on {
		p.wake()
	}
}

// Finish ends the connection as the error would that Data returns; see Protocol. It waits until what was accepted has
// left. Nothing of p works afterwards.
func (p *Pulled) Finish(err error) {
	if p.aborted() {
		err = ErrAbort
	}
	p.shut(endingFor(err, p.r < p.w))
	p.r = p.w
	p.release()
	p.eng.remove(&p.Link)
}
