// Package peergone keeps the functions that are to be called when a connection's peer has gone.
package peergone

import "sync"

// Call is a call that is to be made. The zero Call is none.
type Call struct {
	Keeper Keeper
	Number uint64 // tells the calls apart that Keeper keeps
}

// Keeper keeps the functions of calls.
type Keeper interface {
	// ForgetGone drops the function of a call, and reports whether it was still kept, so that it will not be called.
	ForgetGone(number uint64) bool
}

// Stop cancels the call and reports whether its function will not be called. Any goroutine may call it at any time.
func (c Call) Stop() bool { return c.Keeper != nil && c.Keeper.ForgetGone(c.Number) }

// Func is a function to be called. Its number tells it from others with the same function.
type Func struct {
	number uint64
	F      func()
	Inline bool // F is called on the goroutine that notices
}

// call calls the function. It must be called without Calls.mu.
func (f Func) call() {
	if f.Inline {
		f.F()
	} else {
		go f.F()
	}
}

// Calls are the calls of one connection. The zero Calls is ready for use. All methods may be called concurrently; those that
// only look or call do nothing on a nil Calls.
type Calls struct {
	calling sync.Mutex // held while functions are called, never by a goroutine that holds mu

	mu    sync.Mutex
	funcs []Func
	count uint64 // how many there have been
	gone  bool   // the peer has gone: functions added now are called at once
}

// Add keeps f until Make, or until the Call is stopped. If the peer has gone already, it calls f.
func (c *Calls) Add(f Func) Call {
	c.mu.Lock()
	c.count++
	f.number = c.count
	gone := c.gone
	if !gone {
		c.funcs = append(c.funcs, f)
	}
	c.mu.Unlock()
	if gone {
		f.call()
	}
	return Call{c, f.number}
}

// Make makes all calls: the peer has gone. If another goroutine is making them, it waits until the functions have returned: a
// read that fails returns behind those that are called inline, whichever goroutine has noticed the peer's end first.
func (c *Calls) Make() {
	if c == nil {
		return
	}
	c.calling.Lock()
	defer c.calling.Unlock()
	c.mu.Lock()
	c.gone = true
	funcs := c.funcs
	c.funcs = nil
	c.mu.Unlock()
	for _, f := range funcs {
		f.call()
	}
}

// ForgetGone implements Keeper.
func (c *Calls) ForgetGone(number uint64) bool {
	c.mu.Lock()
	i := len(c.funcs) - 1
	for i >= 0 && c.funcs[i].number != number {
		i--
	}
	if last := len(c.funcs) - 1; i >= 0 { // their order does not matter: each is called on a goroutine of its own
		c.funcs[i], c.funcs[last] = c.funcs[last], Func{}
		c.funcs = c.funcs[:last]
	}
	c.mu.Unlock()
	return i >= 0
}

// Clear drops all functions.
func (c *Calls) Clear() {
	if c != nil {
		c.mu.Lock()
		c.funcs = nil
		c.mu.Unlock()
	}
}

// Made reports whether Make has been called.
func (c *Calls) Made() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// Any reports whether a function is kept.
func (c *Calls) Any() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.funcs) > 0
}
