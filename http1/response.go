package http1

import "github.com/shockwave-go/shockwave"

// Response is a response head. As with Request, its slices point into the bytes given to Parse. The zero value is ready
// to parse with default limits.
type Response struct {
	Limits Limits

	Minor     int    // 1 for HTTP/1.1, 0 for HTTP/1.0
	Status    int    // 100 to 999
	Reason    []byte // may be empty
	Header    shockwave.Header
	Framing   Framing
	KeepAlive bool // the connection may be used again after this exchange (RFC 9112 §9.3)
	Upgrade   bool // Connection lists "upgrade" and there is an Upgrade field (RFC 9110 §7.8)

	reasonEnd uint32 // index of the end of the reason phrase
	head      head
}

// Parse reads a response head from the start of b, as Request.Parse does. method is the method of the request, which
// decides whether there can be a body.
func (r *Response) Parse(b []byte, method string) (n int, err error) {
	n, e := r.parse(b, method)
	if n == 0 || e != nil {
		r.Header.Rebase(b)
	}
	if e != nil {
		return 0, e
	}
	return n, nil
}

func (r *Response) parse(b []byte, method string) (int, *Error) {
	b, full := cut(b, r.Limits.head())
	h := &r.head
	if h.phase < inFields {
		if err := r.statusLine(b); err != nil {
			return 0, err
		}
	}
	n := 0
	if h.phase == inFields {
		var err *Error
		if n, err = h.fields(b, r.Limits.fields(), &r.Header, nil); err != nil {
			return 0, err
		}
	}
	switch {
	case n > 0:
		return n, r.finish(b[:n], method)
	case full:
		return 0, errHeadSize
	}
	return 0, nil
}

// finish sets the fields of r that need the complete head.
func (r *Response) finish(b []byte, method string) *Error {
	f := &r.head.facts
	framing, err := message{r.Minor, r.Status, method}.framing(f)
	if err != nil {
		return err
	}
	r.Header.Rebase(b[:len(b):len(b)])
	r.Reason = r.reason(b)
	r.Framing = framing
	r.KeepAlive = f.persistent(r.Minor) && framing.Delimiter != ByClose
	r.Upgrade = f.upgrades && f.hasUpgrade
	return nil
}

// Rebase makes the slices of r point into b, to which the complete head that Parse has read was moved.
func (r *Response) Rebase(b []byte) {
	r.Header.Rebase(b[:len(b):len(b)])
	r.Reason = r.reason(b)
}

// Reset clears r for the next message. It keeps Limits and memory.
func (r *Response) Reset() {
	r.Minor, r.Status, r.Reason = 0, 0, nil
	r.Framing, r.KeepAlive, r.Upgrade, r.reasonEnd = Framing{}, false, false, 0
	r.Header.Reset()
	r.head = head{}
}
