package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// muxChannel is a channel of mux's.
type muxChannel struct {
	session *muxSession
	c       *tcpmux.Channel
	by      tcpmux.Side
	old     *muxChannel   // the one that had the name before
	opened  chan struct{} // closed when it has been told that the channel is open
	done    chan struct{} // closed when everything that has come has been told

	telling sync.Mutex // a message is being told

	mu     sync.Mutex
	going  sync.Cond // the channel is not stopped any more
	paused bool
	ctx    context.Context // of Receive, until the channel is stopped
	stop   context.CancelFunc
	ours   bool   // this side has opened it
	ended  bool   // this side has ended its half
	heard  bool   // the peer has
	acking bool   // somebody watches what is acknowledged
	acked  uint64 // as it was told
}

// read tells what comes until the channel ends.
func (mc *muxChannel) read() {
	m := mc.session
	defer m.readers.Done()
	defer close(mc.done)
	if mc.old != nil {
		<-mc.old.done
		mc.old = nil
	}
	m.run.tellOpen(mc)
	close(mc.opened)
	var err error
	for err == nil {
		var p []byte
		if p, err = mc.receive(); err == nil {
			mc.take(p)
		}
	}
	mc.over(err)
}

// receive waits for the next message while the channel is not stopped.
func (mc *muxChannel) receive() ([]byte, error) {
	for {
		ctx := mc.turn()
		p, err := mc.c.Receive(ctx)
		if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return p, err
		}
	}
}

// turn waits until the channel is not stopped. When it is stopped again the context ends.
func (mc *muxChannel) turn() context.Context {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	for mc.paused {
		mc.going.Wait()
	}
	if mc.ctx == nil {
		mc.ctx, mc.stop = context.WithCancel(context.Background())
	}
	return mc.ctx
}

// pause stops the channel. When it returns nothing is told of it any more.
func (mc *muxChannel) pause() {
	mc.mu.Lock()
	mc.paused = true
	if mc.ctx != nil {
		mc.stop()
		mc.ctx = nil
	}
	mc.mu.Unlock()
	mc.telling.Lock()
	defer mc.telling.Unlock()
}

// resume goes on with the channel.
func (mc *muxChannel) resume() {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	mc.paused = false
	mc.going.Broadcast()
}

// tell tells a message. When the channel has just been stopped it waits.
func (mc *muxChannel) tell(p []byte) {
	mc.telling.Lock()
	defer mc.telling.Unlock()
	for {
		mc.mu.Lock()
		paused := mc.paused
		mc.mu.Unlock()
		if !paused {
			break
		}
		mc.telling.Unlock()
		mc.turn()
		mc.telling.Lock()
	}
	mc.session.run.tellMessage(mc, p)
}

// take tells a message, and sends it back if that is wanted.
func (mc *muxChannel) take(p []byte) {
	mc.tell(p)
	defer tcpmux.Recycle(p)
	if !mc.session.run.opt.echo {
		return
	}
	switch err := mc.c.Send(context.Background(), p); {
	case err == nil:
		mc.watch()
	case errors.Is(err, tcpmux.ErrTooLarge):
		mc.session.run.complain(nil, mc.named(err))
	}
}

// over tells the end of what comes.
func (mc *muxChannel) over(err error) {
	var reset *tcpmux.ResetError
	switch {
	case errors.Is(err, io.EOF):
		mc.session.run.tellEnd(mc)
	case errors.As(err, &reset):
		mc.session.forget(mc)
		if reset.Peer {
			mc.session.run.tellReset(mc, reset.Code)
		}
		return
	default:
		mc.session.forget(mc)
		return
	}
	mc.mu.Lock()
	mc.heard = true
	gone := mc.ended
	mc.mu.Unlock()
	if gone {
		mc.session.forget(mc)
	}
}

// end ends this side's half.
func (mc *muxChannel) end() error {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	if mc.ended {
		return tcpmux.ErrClosed
	}
	if err := mc.c.CloseSend(); err != nil {
		return err
	}
	mc.ended = true
	if mc.heard {
		mc.session.forget(mc)
	}
	return nil
}

// claim opens a channel for this side that the peer has opened and that is told: once.
func (mc *muxChannel) claim() bool {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	if mc.ours || mc.ended {
		return false
	}
	mc.ours = true
	return true
}

// watch tells what is acknowledged, until everything is.
func (mc *muxChannel) watch() {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	if !mc.acking {
		mc.acking = true
		mc.session.readers.Add(1)
		go mc.tellAcked()
	}
}

func (mc *muxChannel) tellAcked() {
	defer mc.session.readers.Done()
	<-mc.opened
	for err := error(nil); ; {
		mc.mu.Lock()
		count := mc.c.Acked()
		more := count > mc.acked
		mc.acked = count
		if !more && (err != nil || count == mc.c.Sent()) {
			mc.acking = false
			mc.mu.Unlock()
			return
		}
		mc.mu.Unlock()
		if more {
			mc.session.run.tellAcked(mc, count)
			continue
		}
		_, err = mc.c.WaitAcked(context.Background(), count)
	}
}
