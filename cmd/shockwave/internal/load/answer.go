package load

import (
	"bytes"
	"errors"

	"github.com/shockwave-go/shockwave/http1"
)

// facts is what the head of an answer says that matters here.
type facts struct {
	status    int
	framing   http1.Framing
	keepAlive bool
}

// knownHead is the last head that was read, and what it says. A server's heads are the same for as long as the second
// of their Date lasts: one that is equal byte for byte says the same, and need not be parsed.
type knownHead struct {
	bytes []byte
	facts
}

// remember keeps a copy of a head.
func (k *knownHead) remember(head []byte, f facts) {
	k.bytes = append(k.bytes[:0], head...)
	k.facts = f
}

// answer reads the answers on one connection, one after the other.
type answer struct {
	begun  bool // head is in the middle of something
	inBody bool // facts are known, and the body has not ended
	facts
	length int64 // of the body, so far
	head   http1.Response
	body   http1.Body
}

// errSwitched is what we have against an answer that ends HTTP on the connection: nobody asked for that (RFC 9110
// §15.2.2).
var errSwitched = errors.New("load: the server switched protocols")

// read takes what it can of b, which begins where the last call ended, and returns how much that is. whole says that the
// answer to a request of the given method has ended with it.
func (a *answer) read(b []byte, method string, known *knownHead) (n int, whole bool, err error) {
	if !a.inBody {
		if n, whole, err = a.readHead(b, method, known); !whole {
			return n, false, err
		}
		f := &a.framing
		if f.Delimiter == http1.NoBody || f.Delimiter == http1.ByLength && f.Length <= int64(len(b)-n) {
			a.length = f.Length
			return n + int(f.Length), true, nil
		}
		a.inBody, a.length = true, 0
		a.body.Start(*f, http1.Limits{})
	}
	k, err := a.readBody(b[n:])
	if a.body.Done() {
		a.inBody = false
		return n + k, true, err
	}
	return n + k, false, err
}

// readHead reads the head of the final answer. Interim ones are skipped (RFC 9110 §15.2).
func (a *answer) readHead(b []byte, method string, known *knownHead) (n int, whole bool, err error) {
	if !a.begun && len(known.bytes) > 0 && bytes.HasPrefix(b, known.bytes) {
		a.facts = known.facts
		return len(known.bytes), true, nil
	}
	for {
		if !a.begun {
			a.head.Reset()
		}
		k, err := a.head.Parse(b[n:], method)
		a.begun = k == 0
		if k == 0 || err != nil {
			return n, false, err
		}
		n += k
		switch h := &a.head; {
		case h.Status == 101:
			return n, false, errSwitched
		case h.Status >= 200:
			a.facts = facts{h.Status, h.Framing, h.KeepAlive}
			known.remember(b[n-k:n], a.facts)
			return n, true, nil
		}
	}
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

// restart forgets what an earlier connection left in the middle.
func (a *answer) restart() { a.begun, a.inBody = false, false }
