package netconn

import (
	"io"
	"runtime"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/sys"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// puller receives for a Pulled on a socket. Thousands of goroutines may wait in it, each on a stack of its own: there are
// few frames between a reader and the wait, and small ones.
type puller struct {
	raw      syscall.RawConn
	try      func(fd uintptr) bool // receives; false says that there is nothing to receive
	peek     func(fd uintptr)      // Fresh's; made by the first
	into     []byte                // where it receives to; leased for the next receive if nil
	empty    bool                  // into holds nothing else: before a wait it is given back
	readSize int                   // the size of that; it grows for who sends more than one holds
	n        int                   // how many bytes were received
	space    int                   // how many there was space for
	flood    flood
	errno    syscall.Errno // why none were received
	waits    bool          // try is to wait for something to receive
	woken    bool          // it has waited, until something came or a wake
}

func (p *Pulled) newPuller() *puller {
	q := &puller{raw: p.tr.Raw(), readSize: p.eng.cfg.ReadBuffer}
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

// pull receives behind what is unread, and waits for it. Without anything unread no buffer is leased until then.
func (p *Pulled) pull() (int, error) {
	if p.puller == nil {
		p.puller = p.newPuller()
	}
	if p.tr.Secured() {
		return p.pullTLS()
	}
	q := p.puller
	if q.empty = p.held == nil && p.r == p.w; q.empty {
		q.into, p.buf, p.r, p.w = p.buf, nil, 0, 0
		if len(q.into) < q.readSize {
			bufpool.Put(q.into)
			q.into = nil
		}
	} else {
		space, err := p.space(p.eng.cfg.ReadBuffer, p.eng.cfg.MaxUnread)
		if err != nil {
			return 0, err
		}
		q.into = space
	}
	n, err := p.receive()
	if q.empty {
		p.buf = q.into
		if n > 0 {
			q.readSize = max(nextReadSize(q.readSize, q.space, n, q.space), p.eng.cfg.ReadBuffer)
		}
	}
	return n, err
}

// receive waits for the socket to have something and receives it, once.
func (p *Pulled) receive() (int, error) {
	q, tries := p.puller, 0
	if q.n < q.space {
		tries = pullTries
	}
	for again := true; again; again = q.errno == syscall.EAGAIN {
		q.waits = !p.onlyArrived && (tries == 0 || !p.yieldFirst())
		tries--
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

// pullSealed receives until the tls.Conn can make something of it.
func (p *Pulled) pullTLS() (int, error) {
	for {
		space, err := p.space(p.eng.cfg.ReadBuffer, p.eng.cfg.MaxUnread)
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
		p.release()
		q := p.puller
		q.into = p.tr.CiphertextHeld()
		q.empty = q.into == nil
		switch n, err = p.receive(); err {
		case nil:
			p.tr.Arrived(q.into, n)
		case io.EOF:
			p.tr.EndInput()
		default:
			return 0, err
		}
	}
}

// pullTries is how often a pulled connection lets others run before it waits for a socket that it has emptied. By then
// the next bytes may have come, which spares a wait and what wakes from it.
const pullTries = 3

// notePolled notes whether the poller has been asked since somebody who pulls began to wait.
func (e *core) notePolled(done bool) {
	if e.pollerNotAsked.Load() == done {
		e.pollerNotAsked.Store(!done)
	}
}

// othersFirst lets others run and reports whether somebody received something meanwhile. It does nothing while somebody
// who pulls waits without the poller having been asked: the runtime asks it when it has nobody to run, or after 10 ms,
// which is how long connections of other kinds may wait for those that never need to.
func (p *Pulled) yieldFirst() bool {
	if p.eng.pollerNotAsked.Load() {
		return false
	}
	before := p.eng.stats.bytesIn.Load()
	runtime.Gosched()
	return p.eng.stats.bytesIn.Load() != before
}

// flood counts the receives in a row that left no space.
type flood int

// giveWay is told of a receive of n bytes. Who sends faster than we handle never lets its connection's goroutine wait,
// and the scheduler lets that run for 10 ms at a time: a few such peers would make all others wait for many times that.
func (f *flood) yieldIfFlooded(n, space int) {
	if n < space {
		*f = 0
		return
	}
	if *f++; *f%floodYieldEvery == 0 {
		runtime.Gosched()
	}
}

// floodYield is after how many receives that left no space the others have their turn.
const floodYieldEvery = 4
