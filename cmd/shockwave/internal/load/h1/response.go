package h1

import (
	"bytes"
	"errors"

	"github.com/shockwave-go/shockwave/http1"
)

// headInfo is the part of a response head that the load generator needs.
type headInfo struct {
	status    int
	framing   http1.Framing
	keepAlive bool
}

// knownHead caches the last head and its headInfo. A server's heads are usually identical for a second, until the Date
// changes. A head that equals the cached one byte for byte is not parsed again.
type knownHead struct {
	bytes []byte
	headInfo
}

// remember caches a copy of head.
func (k *knownHead) remember(head []byte, f headInfo) {
	k.bytes = append(k.bytes[:0], head...)
	k.headInfo = f
}

// responseReader reads the responses on one connection, one after the other.
type responseReader struct {
	begun  bool // part of a head has been parsed
	inBody bool // the head has been read, and the body has not ended
	headInfo
	length int64 // bytes of the body so far
	head   http1.Response
	body   http1.Body
}

// errSwitched is the error for a 101 response, which no request asked for (RFC 9110 §15.2.2).
var errSwitched = errors.New("load: the server switched protocols")

// read consumes n bytes of b, which continues where the last call stopped. whole reports that the response to a request
// with the given method is complete.
func (a *responseReader) read(b []byte, method string, known *knownHead) (n int, whole bool, err error) {
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

// readHead reads the head of the final response. It skips interim responses (RFC 9110 §15.2).
func (a *responseReader) readHead(b []byte, method string, known *knownHead) (n int, whole bool, err error) {
	if !a.begun && len(known.bytes) > 0 && bytes.HasPrefix(b, known.bytes) {
		a.headInfo = known.headInfo
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
			a.headInfo = headInfo{h.Status, h.Framing, h.KeepAlive}
			known.remember(b[n-k:n], a.headInfo)
			return n, true, nil
		}
	}
}

func (a *responseReader) readBody(b []byte) (n int, err error) {
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

// endOfStream is called when the server has closed the connection. It reports whether that is the regular end of the
// response.
func (a *responseReader) endOfStream() bool { return a.inBody && a.body.End() == nil }
