package dial

import (
	"net"
	"os"
	"strconv"
	"strings"
)

// raceError tells how the attempts at the addresses of a name failed. As a net.Error it is its first one.
type raceError struct {
	addr   string       // that was asked for
	end    *net.OpError // what ended the dial before all had been tried; nil if nothing did
	failed []attempt    // one at least
}

// fail returns what becomes of a dial that ends with err, or without one because all have been tried.
func (r *race) fail(err error) error {
	e := &raceError{addr: r.addr, failed: r.failed}
	if err == nil {
		return e
	}
	e.end = &net.OpError{Op: "dial", Net: "tcp", Addr: askedAddr(r.addr), Err: err}
	if len(r.failed) == 0 {
		return e.end
	}
	return e
}

// askedAddr is a host and port as a net.Addr.
type askedAddr string

// Network returns "tcp".
func (a askedAddr) Network() string { return "tcp" }

// String returns the host and the port.
func (a askedAddr) String() string { return string(a) }

// mostTold is of how many attempts the text tells.
const mostTold = 8

// Error tells of the attempts one by one.
func (e *raceError) Error() string {
	var b strings.Builder
	b.WriteString("dial tcp " + e.addr + ": ")
	if e.end != nil {
		b.WriteString(e.end.Err.Error() + "; ")
	}
	for i, a := range e.failed {
		if i > 0 {
			b.WriteString("; ")
		}
		if i == mostTold {
			b.WriteString(strconv.Itoa(len(e.failed)-i) + " more")
			break
		}
		b.WriteString(a.ip.String() + ": " + reason(a.err))
	}
	return b.String()
}

// reason is err without what is known from where it stands.
func reason(err error) string {
	if op, ok := err.(*net.OpError); ok && op.Err != nil {
		err = op.Err
	}
	if call, ok := err.(*os.SyscallError); ok {
		err = call.Err
	}
	return err.Error()
}

// Unwrap returns what ended the dial and the errors of the attempts, in the order in which they failed.
func (e *raceError) Unwrap() []error {
	var errs []error
	if e.end != nil {
		errs = append(errs, e.end)
	}
	for _, a := range e.failed {
		errs = append(errs, a.err)
	}
	return errs
}

// Timeout implements net.Error.
func (e *raceError) Timeout() bool {
	t, ok := e.Unwrap()[0].(interface{ Timeout() bool })
	return ok && t.Timeout()
}

// Temporary implements net.Error.
func (e *raceError) Temporary() bool {
	t, ok := e.Unwrap()[0].(interface{ Temporary() bool })
	return ok && t.Temporary()
}
