package netconn

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Only a connection's reader closes it: the goroutine of a Conn, or the caller of Finish of a Pulled. All other
// goroutines set a flag and wake the reader. This includes Abort, which disconnects the socket without closing it.

// over reports whether it is known that the connection is of no use any more: it was aborted, writing has failed, or the
// peer has gone.
func (l *Link) over() bool { return l.aborted() || l.out.Err() != nil || l.goneCalls().Made() }

// Lost reports whether the connection is over or its peer has closed its half, closed or reset it. If this is not known
// yet, Lost asks the system, with one system call; where the system does not tell, only the reader notices.
func (l *Link) Lost() bool {
	if l.over() {
		return true
	}
	gone, _ := l.tr.PeerGone()
	return gone
}

// Abort ends the connection now: reads and writes fail, the peer sees a reset, and the reader gets ErrAbort. It does
// nothing once Hijack has taken the connection out of the engine.
func (l *Link) Abort() {
	l.end.Store(endAbort)
	l.out.Fail(ErrAbort)
	if l.out.Err() == ErrHijacked {
		return
	}
	l.goneCalls().Make()
	if a, ok := l.parent.owner().(Aborter); ok {
		a.Aborted()
	}
	l.tr.WakeWriter()
	l.tr.Disconnect()
	l.parent.wake()
}

// Quit closes the connection without waiting, but first sends as much of the queued output as the socket takes at once.
// If that is all of it, the write half is closed in order, and what the peer still sends is dropped for a while;
// otherwise the peer sees a reset. On a transport that is not a socket, Quit waits up to quitTimeout for the output to
// be taken.
func (l *Link) Quit() {
	if !l.end.CompareAndSwap(endNone, endQuitting) {
		return
	}
	if !l.tr.Socket() {
		defer l.abortAfter(quitTimeout)()
	}
	if !l.resume() && l.writeBy.Load() != 0 && l.tr.Socket() {
		l.tr.WakeWriter()
	}
	if l.endOutput(flushTry) != nil {
		l.Abort()
		return
	}
	if !l.end.CompareAndSwap(endQuitting, endQuit) {
		return
	}
	if !l.tr.CloseWrite() && !l.tr.Halves() {
		l.tr.Disconnect()
	}
	l.parent.wake()
}

// abortAfter aborts the connection after d, unless stop is called before. An abort is over when stop returns.
func (l *Link) abortAfter(d time.Duration) (stop func()) {
	abort := sync.OnceFunc(l.Abort)
	timer := time.AfterFunc(d, abort)
	return func() {
		if !timer.Stop() {
			abort() // the timer's goroutine may not have got that far
		}
	}
}

// CloseWrite sends the queued output, waits until it has been sent, and closes the write half of the stream; over TLS
// it sends the closing alert first. The connection can still be read, up to the peer's end of stream. All later writes
// fail. CloseWrite fails if writing has failed, and where the halves cannot be closed separately. Any goroutine may
// call it, but not from within Data.
func (l *Link) CloseWrite() error {
	if err := l.endOutput(flushWait); err != nil {
		return err
	}
	if !l.tr.CloseWrite() {
		return errors.ErrUnsupported
	}
	return nil
}

// quitTimeout is how long Quit lets a transport that is not a socket take output. Tests change it.
var quitTimeout = 250 * time.Millisecond

// ending says how a connection ends.
type ending struct {
	abort   bool // with a reset
	linger  bool // the peer may still be sending
	sending bool // the peer is known to be sending
	idle    bool // the peer has no reason to send, but a message may be on its way
}

// endingFor returns how a connection ends after err. unread reports that untaken input is left.
func endingFor(err error, unread bool) ending {
	return ending{
		abort:   err == ErrAbort || err == ErrPanic,
		linger:  isLast(err) || err == ErrSlow || unread,
		sending: err == ErrDoneEarly,
		idle:    err == ErrIdle || err == ErrShutdown,
	}
}

// shut ends the connection: it sends the queued output, within the deadlines of every write, closes the write half, and
// drops what the peer still sends for a while. The reader calls it once.
func (l *Link) shut(end ending) {
	if end.idle && l.tr.Outstanding() > 0 {
		end.linger = true // a reset would destroy output that the peer has not received
	}
	if l.end.Load() == endQuit {
		end.abort, end.linger = false, true
	}
	if !end.abort && l.endReader() != nil {
		end.abort = true
	}
	if end.abort {
		l.tr.Reset()
	} else {
		l.linger(end)
	}
	l.vacate(true)
	l.tr.Close()
	l.awaitGoneReader()
	l.tr.DropInput()
	if l.out.Drop() {
		l.tr.DropOutput()
	}
}

// endReader is endOutput for the reader, which reads no more. Its peer may be writing, too: where the kernel buffers no
// bytes, as on a net.Pipe, both would wait until their deadlines pass. So what the peer sends is dropped meanwhile,
// within the bounds of lingering: a peer that sends without end, and takes nothing, is not read from for ever.
func (l *Link) endReader() error {
	if l.out.Unsent() && !l.tr.Buffers() {
		defer l.tr.DropMeanwhile(l.eng.lingerBytes)()
	}
	return l.endOutput(flushWaitLatched)
}

// awaitGoneReader waits for the background read in progress, if any. The connection has been closed.
func (l *Link) awaitGoneReader() {
	x := l.extra.Load()
	if x == nil {
		return
	}
	if b := x.goneReader.Take(); b != nil {
		b.Wait()
		b.Release()
	}
}

// refuse closes nc, on which l was to run, because the engine has ended. Close of a tls.Conn sends the closing alert
// but leaves the socket below open, so the transport is closed as well.
func (l *Link) refuse(nc net.Conn) {
	nc.Close()
	l.tr.Close()
}

// linger closes the write half and then reads and drops, within bounds, what the peer still sends. If a socket is
// closed with unread bytes, or bytes arrive after the close, the kernel sends a reset, which may overtake the last
// output and destroy it. A transport whose halves cannot be closed separately does not tell the peer that the output
// has ended, so there linger works only for a peer that is known to be sending.
func (l *Link) linger(end ending) {
	d := l.eng.lingerTimeout
	if d == 0 || !end.linger {
		return
	}
	if l.tr.Halves() && !l.tr.CloseWrite() || !l.tr.Halves() && !end.sending {
		return
	}
	until := time.Now().Add(d)
	if l.tr.Drop(d, l.eng.lingerBytes) {
		time.Sleep(min(time.Until(until), lingerPause))
	}
}

// lingerPause is how long a peer that has sent LingerBytes and still sends may read the last output. Its bytes are no
// longer read: they fill the kernel's buffers and then stop the peer, where a close would answer them with a reset.
const lingerPause = 500 * time.Millisecond
