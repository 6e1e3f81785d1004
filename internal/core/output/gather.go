package output

import (
	"runtime"
	"sync/atomic"
)

// Gather says when the output of a Source or Lender is drawn. Small units would otherwise leave in a write each.
//
//   - A unit that is sent while nothing else is on its way is drawn at once, on the sender's goroutine, so that a request is not
//     delayed.
//   - A unit that is sent after another one, before anything has been received, is gathered: a new goroutine lets others run
//     first and then draws what they have added, too. So a stream of small units leaves in large writes.
//   - While the source is going to be asked anyway, nothing is done.
//
// The lock of the source guards a Gather; Received may be called without it. The zero Gather is ready for use.
type Gather struct {
	asked      bool        // the source is going to be asked, so the output need not be told of more
	unanswered atomic.Bool // a unit was sent, and nothing has been received since
	soon       func()      // made once, so that sending does not allocate it; nil while it has not been needed
}

// Drawer makes the output draw from its source.
type Drawer interface {
	// DrawNow calls Draw or DrawLent. It is called without the lock of the source.
	DrawNow()
}

// Received notes that something was received: the next unit is not gathered.
func (g *Gather) Received() {
	if g.unanswered.Load() {
		g.unanswered.Store(false)
	}
}

// Sends notes that a unit is sent, and reports whether it is to be gathered.
func (g *Gather) Sends() (gather bool) {
	if gather = g.unanswered.Load(); !gather {
		g.unanswered.Store(true)
	}
	return gather
}

// Unanswered reports whether the next unit is to be gathered.
func (g *Gather) Unanswered() bool { return g.unanswered.Load() }

// Ask notes that there is output to draw. If it returns true, the caller releases the lock and then calls DrawNow itself,
// or lets a new goroutine call the function that Soon returns.
func (g *Gather) Ask() bool {
	first := !g.asked
	g.asked = true
	return first
}

// Asked reports whether the source is going to be asked.
func (g *Gather) Asked() bool { return g.asked }

// Drawn is called by the source when it has been asked. more says that it will be asked again.
func (g *Gather) Drawn(more bool) { g.asked = more }

// Soon returns a function that lets other goroutines run first and then calls d.DrawNow. d is always the same.
func (g *Gather) Soon(d Drawer) func() {
	if g.soon == nil {
		g.soon = func() {
			runtime.Gosched()
			d.DrawNow()
		}
	}
	return g.soon
}

// Trim releases what an idle connection does not need.
func (g *Gather) Trim() { g.soon = nil }
