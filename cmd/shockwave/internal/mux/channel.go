package mux

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// channel is a channel of the mux command.
type channel struct {
	s        *tcpmux.Session
	c        *tcpmux.Channel
	at       place
	by       tcpmux.Side
	tells    *events
	echo     bool            // send every message back
	forget   func()          // removes the channel from its session
	readers  *sync.WaitGroup // the session's goroutines of channels
	previous *channel        // the previous channel with the same name
	opened   chan struct{}   // closed when the open event is written
	done     chan struct{}   // closed when the last event is written

	telling sync.Mutex // held while a message event is written

	mu        sync.Mutex
	unpaused  sync.Cond // signalled when paused becomes false
	paused    bool
	ctx       context.Context // for Receive; cancelled by pause
	stop      context.CancelFunc
	ours      bool   // this side has opened the channel
	ended     bool   // this side has ended its direction
	peerEnded bool   // the peer has ended its direction
	acking    bool   // tellAcked runs
	acked     uint64 // count of the last acked event
}

// read writes the events of the channel until its receiving direction ends.
func (mc *channel) read() {
	defer mc.readers.Done()
	defer close(mc.done)
	if mc.previous != nil {
		<-mc.previous.done
		mc.previous = nil
	}
	mc.tells.open(mc.at, mc.by)
	close(mc.opened)
	var err error
	for err == nil {
		var p []byte
		if p, err = mc.receive(); err == nil {
			mc.handle(p)
		}
	}
	mc.receiveEnded(err)
}

// receive returns the next message. It waits while the channel is paused.
func (mc *channel) receive() ([]byte, error) {
	for {
		ctx := mc.waitUnpaused()
		p, err := mc.c.Receive(ctx)
		if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return p, err
		}
	}
}

// waitUnpaused waits until the channel is not paused. It returns a context that pause cancels.
func (mc *channel) waitUnpaused() context.Context {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	for mc.paused {
		mc.unpaused.Wait()
	}
	if mc.ctx == nil {
		mc.ctx, mc.stop = context.WithCancel(context.Background())
	}
	return mc.ctx
}

// pause pauses the channel. After it returns no message event of the channel is written.
func (mc *channel) pause() {
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

// resume ends the pause.
func (mc *channel) resume() {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	mc.paused = false
	mc.unpaused.Broadcast()
}

// tell writes a message event. If the channel was paused after the message was received, tell waits.
func (mc *channel) tell(p []byte) {
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
		mc.waitUnpaused()
		mc.telling.Lock()
	}
	mc.tells.message(mc.at, p)
}

// handle writes the event of a message and, with -echo, sends the message back.
func (mc *channel) handle(p []byte) {
	mc.tell(p)
	defer tcpmux.Recycle(p)
	if !mc.echo {
		return
	}
	switch err := mc.c.Send(context.Background(), p); {
	case err == nil:
		mc.watch()
	case errors.Is(err, tcpmux.ErrTooLarge):
		mc.tells.ReportError(nil, mc.wrap(err))
	}
}

// receiveEnded handles the end of the receiving direction.
func (mc *channel) receiveEnded(err error) {
	var reset *tcpmux.ResetError
	switch {
	case errors.Is(err, io.EOF):
		mc.tells.ended(mc.at)
	case errors.As(err, &reset):
		mc.forget()
		if reset.By == tcpmux.SidePeer {
			mc.tells.reset(mc.at, reset.Code)
		}
		return
	default:
		mc.forget()
		return
	}
	mc.mu.Lock()
	mc.peerEnded = true
	gone := mc.ended
	mc.mu.Unlock()
	if gone {
		mc.forget()
	}
}

// end ends the sending direction.
func (mc *channel) end() error {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	if mc.ended {
		return tcpmux.ErrClosed
	}
	if err := mc.c.CloseSend(); err != nil {
		return err
	}
	mc.ended = true
	if mc.peerEnded {
		mc.forget()
	}
	return nil
}

// claim makes an open command for a channel that the peer has opened succeed. It reports false if this side has already
// opened or ended the channel.
func (mc *channel) claim() bool {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	if mc.ours || mc.ended {
		return false
	}
	mc.ours = true
	return true
}

// watch starts tellAcked if it is not running.
func (mc *channel) watch() {
	mc.mu.Lock()
	defer mc.mu.Unlock()
	if !mc.acking {
		mc.acking = true
		mc.readers.Add(1)
		go mc.tellAcked()
	}
}

func (mc *channel) tellAcked() {
	defer mc.readers.Done()
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
			mc.tells.acked(mc.at, count)
			continue
		}
		_, err = mc.c.WaitAcked(context.Background(), count)
	}
}

// sent answers a send command.
func (mc *channel) sent(tag json.RawMessage, err error) {
	if err == nil {
		mc.watch()
	}
	mc.tells.Answer(tag, mc.wrap(err))
}

// reset resets the channel at once, without waiting for queued sends.
func (mc *channel) reset(code *int64) error {
	var c uint32
	if code != nil {
		c = uint32(*code)
	}
	err := mc.c.Reset(c)
	mc.forget()
	mc.resume()
	return mc.wrap(err)
}
