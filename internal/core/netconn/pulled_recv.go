package netconn

import (
	"io"
	"runtime"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/inbuf"
	"github.com/shockwave-go/shockwave/internal/core/sys"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// puller receives for a Pulled on a socket. Thousands of goroutines may wait in it, each on a stack of its own, so
// there are few and small frames between a reader and the wait.
type puller struct {
	raw      syscall.RawConn
	try      func(fd uintptr) bool // receives; returns false to wait
	peek     func(fd uintptr)      // used by Fresh and created by it
	into     []byte                // the buffer to receive into; if nil, try gets one from the pool
	empty    bool                  // into holds no unread input: it goes back to the pool before a wait
	readSize int                   // size of that buffer; it grows for a peer that fills it
	n        int                   // bytes received
	space    int                   // size of the space they were received into
	flood    flood
	errno    syscall.Errno // error of the receive
	waits    bool          // try waits if there is nothing to receive
	woken    bool          // try has waited and runs again
}

func (p *Pulled) newPuller() *puller {
	q := &puller{raw: p.tr.Raw(), readSize: p.eng.readBuffer}
	if p.tr.Secured() {
		q.readSize = transport.Record
	}
	eng := p.eng
	q.try = func(fd uintptr) bool {
		if q.into == nil {
			b := bufpool.Get(q.readSize)
			q.into = b[:cap(b)]
		}
		q.space = len(q.into)
		q.n, q.errno = sys.Recv(int(fd), q.into)
		if q.woken {
			q.woken = false
			eng.notePolled(true)
		}
		if q.errno != syscall.EAGAIN {
			return true
		}
		if q.empty {
			bufpool.Put(q.into)
			q.into = nil
		}
		if !q.waits {
			return true
		}
		q.woken = true
		eng.notePolled(false)
		return false
	}
	return q
}

// ensurePuller returns p.puller and creates it if necessary.
func (p *Pulled) ensurePuller() *puller {
	if p.puller == nil {
		p.puller = p.newPuller()
	}
	return p.puller
}

// lendSpace gives the puller the space behind the unread input. If there is no unread input, that is the whole buffer, and
// none is held during the wait.
func (p *Pulled) lendSpace() (err error) {
	q := p.ensurePuller()
	if q.empty = !p.in.Retained() && p.in.Empty(); !q.empty {
		q.into, err = p.space()
		return err
	}
	q.into = p.in.Lend()
	if len(q.into) < q.readSize {
		bufpool.Put(q.into)
		q.into = nil
	}
	return nil
}

// takeSpace takes back what lendSpace has given, with n bytes received.
func (p *Pulled) takeSpace(n int) {
	q := p.puller
	if !q.empty {
		return
	}
	p.in.Return(q.into)
	if n > 0 {
		q.readSize = max(inbuf.NextSize(q.readSize, q.space, n, q.space), p.eng.readBuffer)
	}
}

// receive waits for input on the socket and receives once, into the space of the puller. onWait, unless nil, is called
// before the wait.
func (p *Pulled) receive(onWait func()) (int, error) {
	q, tries := p.puller, 0
	if q.n < q.space {
		tries = pullTries
	}
	for again := true; again; again = q.errno == syscall.EAGAIN {
		q.waits = !p.onlyArrived && (tries == 0 || !p.yieldFirst())
		tries--
		if q.waits && onWait != nil {
			onWait()
		}
		if err := q.raw.Read(q.try); err != nil {
			return 0, err
		}
		if p.onlyArrived && q.errno == syscall.EAGAIN {
			return 0, p.out.Err()
		}
	}
	switch {
	case q.errno != 0:
		return 0, q.errno
	case q.n == 0:
		return 0, io.EOF
	}
	p.eng.stats.in(q.n)
	q.flood.yieldIfFlooded(q.n, q.space)
	return q.n, nil
}

// pullTLS receives until the tls.Conn can decrypt something.
func (p *Pulled) pullTLS(onWait func()) (int, error) {
	q := p.ensurePuller()
	for {
		space, err := p.space()
		if err != nil {
			return 0, err
		}
		n, err := p.tr.Decrypt(space)
		if p.tr.TLSWrote() {
			p.flush(p.out.TakeNone(), flushTry)
		}
		if n > 0 || !transport.WouldBlock(err) {
			return n, err
		}
		p.in.Release()
		q.into = p.tr.CiphertextHeld()
		q.empty = q.into == nil
		switch n, err = p.receive(onWait); err {
		case nil:
			p.tr.Arrived(q.into, n)
		case io.EOF:
			p.tr.EndInput()
		default:
			return 0, err
		}
	}
}

// pullTries is how often the reader of a Pulled yields to other goroutines before it waits for an empty socket. The
// next bytes may have arrived by then, which saves a wait and a wake-up.
const pullTries = 3

// yieldFirst yields to other goroutines and reports whether any of them has received something. It does nothing while a
// reader waits and the runtime has not polled since: the runtime polls when no goroutine can run, or after 10 ms, so
// connections that have to wait could otherwise be delayed that long by connections that never have to.
func (p *Pulled) yieldFirst() bool {
	if p.eng.pollerNotAsked.Load() {
		return false
	}
	before := p.eng.stats.bytesIn.Load()
	runtime.Gosched()
	return p.eng.stats.bytesIn.Load() != before
}
