package clientconn

import (
	"io"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Bare implements carrier.ClientStream.
func (x *exchange) Bare() bool { return x.bare }

// Trailer implements carrier.ClientStream.
func (x *exchange) Trailer() []http2.Field {
	if x.endAwaited {
		return nil
	}
	return x.trailer
}

// Whole implements carrier.ClientStream.
func (x *exchange) Whole() (p []byte, ok bool) {
	if x.endAwaited {
		return nil, true
	}
	r := &x.in
	if !r.eof {
		return nil, false
	}
	p = bufpool.Get(len(r.in.Bytes))[:0]
	for {
		n, err := x.Read(p[len(p):cap(p)])
		p = p[:len(p)+n]
		if err == io.EOF {
			return p, true
		}
		if err != nil { // the next Read fails in the same way
			r.content, r.err = append([]byte(nil), p...), err
			bufpool.Put(p)
			return nil, false
		}
	}
}

// Read implements carrier.ClientStream. At the end of the response it returns io.EOF.
func (x *exchange) Read(p []byte) (int, error) {
	r := &x.in
	bounded := x.idle.limit > 0 && len(r.content) == 0
	if bounded {
		x.idle.begin(x)
	}
	n, err := x.read(p)
	if bounded {
		x.idle.end()
	}
	if err != nil && r.err == nil {
		r.err = err
		x.ended(err)
	}
	return n, err
}

// read is Read without a bound.
func (x *exchange) read(p []byte) (int, error) {
	r := &x.in
	if len(r.content) == 0 && r.err != nil {
		return 0, r.err
	}
	for len(r.content) == 0 {
		if n, ok, err := r.readDirectly(x, p); ok {
			x.k.budget.Deliver(n)
			return n, err
		}
		part, err := r.next(x)
		if err != nil {
			return 0, err
		}
		if part.Kind == h3frame.Content {
			r.content = part.Bytes
		} else if err := x.readTrailer(part.Bytes); err != nil {
			return 0, err
		}
	}
	n := r.take(p)
	x.k.budget.Deliver(n)
	return n, nil
}

// readTrailer reads the trailer section.
func (x *exchange) readTrailer(encoded []byte) error {
	fields, err := x.in.decode(x, encoded)
	if err != nil {
		return err
	}
	var head http2.Head
	if bad := head.ReadTrailers(fields); bad != nil {
		return x.refuse(section.Malformed(bad))
	}
	x.trailer = append(x.trailer, head.Fields...)
	return nil
}
