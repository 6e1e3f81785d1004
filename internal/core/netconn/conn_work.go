package netconn

import "sync/atomic"

// work is what goes on for a connection after Data has returned, such as streams whose responses are not complete. While there is any,
// the connection is not idle and is not parked, and Shutdown waits for it.
type work struct {
	pieces atomic.Int32
	nudged atomic.Bool // Data is to run once more, with or without input
}

// goesOn reports whether there is work.
func (w *work) goesOn() bool { return w.pieces.Load() > 0 }

// runs notes that Data runs: it is nudged no more.
func (w *work) runs() {
	if w.nudged.Load() {
		w.nudged.Store(false)
	}
}

// busy reports whether work goes on or Data is to run without input.
func (w *work) busy() bool { return w.goesOn() || w.nudged.Load() }

// BeginWork counts a piece of work that goes on after Data. Any goroutine may call it while Data runs or other work
// goes on.
func (c *Conn) BeginWork() { c.work.pieces.Add(1) }

// EndWork ends a piece of work. After the last one Data runs once more, with or without input. Any goroutine may call
// it.
func (c *Conn) EndWork() {
	if c.work.pieces.Add(-1) == 0 {
		c.Nudge()
	}
}

// Nudge makes Data run once more even if no input comes: after the current run, or as soon as possible. Any goroutine
// may call it.
func (c *Conn) Nudge() {
	c.work.nudged.Store(true)
	c.wake()
}

// DoNotAwait sets whether Shutdown does not wait for the end of the connection, because its protocol cannot end what goes on
// there. The connection goes on. Any goroutine may call it at any time.
func (c *Conn) DoNotAwait(v bool) { c.eng.setUnawaited(&c.line, v) }

// awaitWork runs Data whenever it is nudged, until no work is left.
func (c runner) awaitWork() error {
	told := c.ensureExtra().openWakeCh()
	for {
		if c.aborted() {
			return ErrAbort
		}
		if err := c.out.Err(); err != nil {
			return err
		}
		if c.work.nudged.Load() {
			if err := c.runData(); err != nil {
				return err
			}
		}
		if !c.work.goesOn() {
			return nil
		}
		<-told
	}
}
