package request

import (
	"sync"

	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// goneHook is the function that is called when the client goes: when it no longer wants a response, or the connection ends.
type goneHook struct {
	mu     sync.Mutex
	f      func()
	stop   func() bool // ends the watch of the stream
	number uint64      // of the call of OnGone
	stream uint64      // counts the streams that have had this hook: a watch of an earlier one means nothing any more
	noted  bool        // the client has gone
}

// set makes f the function.
func (g *goneHook) set(str quicconn.Stream, f func()) netconn.GoneCall {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.number++
	g.f = f
	if g.noted {
		g.f = nil
		f()
	} else if g.stop == nil {
		stream := g.stream
		g.stop = str.OnEnd(func() { g.call(stream) })
	}
	return netconn.GoneCall{Keeper: g, Number: g.number}
}

// call records that the client of a stream has gone, and calls the function if that is still wanted.
func (g *goneHook) call(stream uint64) {
	g.mu.Lock()
	var f func()
	if stream == g.stream {
		f, g.f, g.noted = g.f, nil, true
	}
	g.mu.Unlock()
	if f != nil {
		f()
	}
}

// ForgetGone implements netconn.GoneKeeper.
func (g *goneHook) ForgetGone(number uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if number != g.number || g.f == nil {
		return false
	}
	g.f = nil
	return true
}

// remove removes the function and ends the watch.
func (g *goneHook) remove() {
	g.mu.Lock()
	stop := g.stop
	g.f, g.stop = nil, nil
	g.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// reset prepares g for another stream. Late calls for an earlier stream have old numbers, and do nothing.
func (g *goneHook) reset() {
	g.mu.Lock()
	g.f, g.stop, g.noted = nil, nil, false
	g.number++
	g.stream++
	g.mu.Unlock()
}

// isNoted reports whether it was recorded that the client has gone.
func (g *goneHook) isNoted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.noted
}

// note records that the client has gone.
func (g *goneHook) note() {
	g.mu.Lock()
	stream := g.stream
	g.mu.Unlock()
	g.call(stream)
}
