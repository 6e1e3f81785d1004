package dial

import (
	"net"
	"os"
	"strconv"
	"strings"
)

// raceError is the error of a dial whose attempts at several addresses have failed. Its Timeout and Temporary are those of
// its first error.
type raceError struct {
	addr   string       // the address that was to be dialled
	end    *net.OpError // why the dial ended before all addresses had been tried; nil if all were
	failed []attempt    // at least one
}

// newError returns the error of a dial that has ended with err, or with nil because all addresses have been tried.
func (r *race) newError(err error) error {
	e := &raceError{addr: r.addr, failed: r.failed}
	if err == nil {
		return e
	}
	e.end = &net.OpError{Op: "dial", Net: "tcp", Addr: targetAddr(r.addr), Err: err}
	if len(r.failed) == 0 {
		return e.end
	}
	return e
}

// targetAddr is a host and a port as a net.Addr.
type targetAddr string

// Network returns "tcp".
func (a targetAddr) Network() string { return "tcp" }

// String returns the host and the port.
func (a targetAddr) String() string { return string(a) }

// maxListed is how many attempts the message lists.
const maxListed = 8

// Error lists the attempts.
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
		if i == maxListed {
			b.WriteString(strconv.Itoa(len(e.failed)-i) + " more")
			break
		}
		b.WriteString(a.ip.String() + ": " + shortError(a.err))
	}
	return b.String()
}

// shortError returns the message of err without the parts that the message of a raceError contains already.
func shortError(err error) string {
	if op, ok := err.(*net.OpError); ok && op.Err != nil {
		err = op.Err
	}
	if call, ok := err.(*os.SyscallError); ok {
		err = call.Err
	}
	return err.Error()
}

// Unwrap returns why the dial ended early, if it did, and the errors of the attempts in the order in which they failed.
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
