package load

import (
	"errors"

	"github.com/shockwave-go/shockwave/http1"
)

// answer reads the answers on one connection, one after the other.
type answer struct {
	head   http1.Response
	body   http1.Body
	inBody bool  // the head is whole
	length int64 // of the body, so far
}

// errSwitched is what we have against an answer that ends HTTP on the connection: nobody asked for that (RFC 9110
// §15.2.2).
var errSwitched = errors.New("load: the server switched protocols")

// read takes what it can of b, which begins where the last call ended, and returns how much that is. whole says that the
// answer to a request of the given method has ended with it. Interim answers are skipped (RFC 9110 §15.2).
func (a *answer) read(b []byte, method string) (n int, whole bool, err error) {
	for !a.inBody {
		k, err := a.head.Parse(b[n:], method)
		if k == 0 || err != nil {
			return n, false, err
		}
		n += k
		if a.head.Status >= 200 {
			break
		}
		if a.head.Status == 101 {
			return n, false, errSwitched
		}
		a.head.Reset()
	}
	if !a.inBody {
		f := &a.head.Framing
		if f.Delimiter == http1.NoBody || f.Delimiter == http1.ByLength && f.Length <= int64(len(b)-n) {
			a.length = f.Length
			return n + int(f.Length), true, nil
		}
		a.inBody = true
		a.body.Start(*f, http1.Limits{})
	}
	k, err := a.readBody(b[n:])
	return n + k, a.body.Done(), err
}

func (a *answer) readBody(b []byte) (n int, err error) {
	for !a.body.Done() {
		data, k, err := a.body.Next(b[n:])
		n += k
		a.length += int64(len(data))
		if k == 0 || err != nil {
			return n, err
		}
	}
	return n, nil
}

// endOfStream says that the server has closed the connection; true if that is how the answer ends.
func (a *answer) endOfStream() bool { return a.inBody && a.body.End() == nil }

// next prepares for the next answer.
func (a *answer) next() {
	a.head.Reset()
	a.inBody, a.length = false, 0
}
