package netconn

import (
	"errors"
	"net"
	"time"
)

// Who may close. Nobody but a connection's reader ends it: the goroutine of a Conn, whoever calls Finish of a Pulled. All
// others set a flag and wake it; Abort, too, which cuts the connection off without closing it.

// The fates of a connection that others than its reader have decided.
const (
	endNone     int32 = iota
	endQuitting       // Quit sends what can leave without waiting
	endQuit           // Quit has sent all that was accepted: the end is orderly
	endAbort          // Abort was called
)

// aborted reports whether the reader is to end the connection without delay.
func (l *Link) aborted() bool { return l.endRequest.Load() >= endQuit }

// rushed reports whether nobody is to wait for the peer to take something.
func (l *Link) mustNotWait() bool { return l.endRequest.Load() != endNone && l.tr.Socket() }

// Abort ends the connection now: reads and writes fail, the peer sees a reset, and its reader is told ErrAbort.
func (l *Link) Abort() {
	l.endRequest.Store(endAbort)
	l.out.Fail(ErrAbort)
	l.extra.Load().callOnGone()
	l.tr.WakeWriter()
	l.tr.Disconnect()
	l.parent.wake()
}

// Quit is Abort for who wants nothing lost without need: what was accepted is sent as far as that takes no waiting. If it
// was all of it our half ends in good order, and what the peer still sends is dropped for a while; else the peer sees a
// reset. Where nobody can tell what is taken without waiting it waits for lastChance at most.
func (l *Link) Quit() {
	if !l.endRequest.CompareAndSwap(endNone, endQuitting) {
		return
	}
	if !l.tr.Socket() {
		defer time.AfterFunc(quitTimeout, l.Abort).Stop()
	}
	if !l.resume() && l.writeBy.Load() != 0 && l.tr.Socket() {
		l.tr.WakeWriter()
	}
	if l.end(flushTry) != nil {
		l.Abort()
		return
	}
	if !l.endRequest.CompareAndSwap(endQuitting, endQuit) {
		return
	}
	if !l.tr.CloseWrite() && !l.tr.Halves() {
		l.tr.Disconnect()
	}
	l.parent.wake()
}

// CloseWrite sends what was accepted, waits until it has left, and ends our half of the stream; over TLS its closing alert
// goes before. What the peer sends can still be read, and its end is told as ever. Nothing can be written any more. It
// fails with what writing fails with, and where the halves cannot be closed one by one. Anybody may call it, but not from
// within Data.
func (l *Link) CloseWrite() error {
	if err := l.end(flushWait); err != nil {
		return err
	}
	if !l.tr.CloseWrite() {
		return errors.ErrUnsupported
	}
	return nil
}

// lastChance is how long a transport that is not a socket has for what Quit sends. Tests change it.
var quitTimeout = 250 * time.Millisecond

// ending is how a connection ends.
type ending struct {
	abort   bool // with a reset
	linger  bool // the peer may still be sending
	sending bool // it is known to be
	idle    bool // it has no reason to send, but a message may be on its way
}

// shut ends the connection: what was accepted leaves, within the deadlines of every write, then our half of the stream
// ends, and what the peer still sends is dropped for a while. It is called once, by the reader.
func (l *Link) shut(end ending) {
	if end.idle && l.tr.Outstanding() > 0 {
		end.linger = true // a reset would destroy an answer that has not arrived
	}
	if l.endRequest.Load() == endQuit {
		end.abort, end.linger = false, true
	}
	if !end.abort && l.end(flushWaitLatched) != nil {
		end.abort = true
	}
	if end.abort {
		l.tr.Reset()
	} else {
		l.linger(end)
	}
	l.mu.Lock()
	l.lotLeft = true
	l.mu.Unlock()
	l.leaveLot()
	l.tr.Close()
	l.extra.Load().awaitGoneReader()
	l.tr.DropInput()
	if l.out.Drop() {
		l.tr.DropOutput()
	}
}

// refuse closes nc, over which l was to run, because the engine has ended. Close of a tls.Conn sends its alert but leaves the
// socket below to the transport.
func (l *Link) refuse(nc net.Conn) {
	nc.Close()
	l.tr.Close()
}

// linger ends our half and then reads and drops, within bounds, what the peer still sends: a close with unread bytes, or
// bytes that come after it, make the kernel send a reset, which may overtake our last answer and destroy it. A transport
// whose halves cannot be closed does not tell the peer that we are done, so there it is done only for one that is known to
// be sending.
func (l *Link) linger(end ending) {
	cfg := &l.eng.cfg
	if cfg.LingerTimeout == 0 || !end.linger {
		return
	}
	if l.tr.Halves() && !l.tr.CloseWrite() || !l.tr.Halves() && !end.sending {
		return
	}
	until := time.Now().Add(cfg.LingerTimeout)
	if l.tr.Drop(cfg.LingerTimeout, cfg.LingerBytes) {
		time.Sleep(min(time.Until(until), lingerPause))
	}
}

// deafFor is how long a peer that has sent LingerBytes and goes on may still read our last answer. Its bytes are not
// read any more; they fill the kernel's buffers and then stop it, where a close would answer them with a reset.
const lingerPause = 500 * time.Millisecond
