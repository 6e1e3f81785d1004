package wiretest

import (
	"net"
	"sync"
)

// Failing is a listener whose first calls of Accept fail.
type Failing struct {
	net.Listener

	mu   sync.Mutex
	errs []error
}

// Fail returns l with an Accept that first returns each of errs once.
func Fail(l net.Listener, errs ...error) *Failing { return &Failing{Listener: l, errs: errs} }

// Accept returns the next error, or, when none is left, the next connection.
func (l *Failing) Accept() (net.Conn, error) {
	if err := l.next(); err != nil {
		return nil, err
	}
	return l.Listener.Accept()
}

// Left returns how many errors have not been returned yet.
func (l *Failing) Left() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.errs)
}

func (l *Failing) next() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.errs) == 0 {
		return nil
	}
	err := l.errs[0]
	l.errs = l.errs[1:]
	return err
}
