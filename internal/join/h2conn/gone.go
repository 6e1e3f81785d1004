package h2conn

// goneHook is the function of one OnGone call. f is nil once it was called or removed. The connection's lock guards it.
type goneHook struct {
	session *session // not that of the stream, which may belong to another connection by the time of ForgetGone
	f       func()
	inline  bool // f is called on the goroutine that notices, with the lock held
}

// remove removes the function and returns it; nil if there is none. w may be nil.
func (w *goneHook) remove() (f func()) {
	if w != nil {
		f, w.f = w.f, nil
	}
	return f
}

// run calls the function, if there is one. w may be nil.
func (w *goneHook) run() {
	switch f := w.remove(); {
	case f == nil:
	case w.inline:
		f()
	default:
		go f()
	}
}

// ForgetGone implements netconn.GoneKeeper. It uses the hook alone: the stream may be another by now.
func (w *goneHook) ForgetGone(uint64) bool {
	w.session.mu.Lock()
	defer w.session.mu.Unlock()
	return w.remove() != nil
}
