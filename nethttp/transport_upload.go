package nethttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// upload sends a request's body, on a goroutine of its own: the server may answer before all of it has been sent.
type upload struct {
	k      *call
	body   io.ReadCloser
	closed atomic.Bool // body is closed, or being closed
	over   atomic.Bool // nothing more is read of it
}

func newUpload(k *call) *upload { return &upload{k: k, body: k.req.Body} }

// errStopped is what sending says when the response makes it pointless.
var errStopped = errors.New("nethttp: the rest of the request's body is not sent")

// uploadPiece is how much is read of a body at once.
const uploadPiece = 16 << 10

func (u *upload) run() {
	k := u.k
	if k.expects {
		if k.trace != nil && k.trace.Wait100Continue != nil {
			k.trace.Wait100Continue()
		}
		k.Proceed(k.t.ExpectContinueTimeout, k.req.Context().Done())
	}
	err := u.copy()
	if err == nil {
		err = u.end()
	}
	u.over.Store(true)
	u.close()
	k.traceWrote(err)
	var broken *brokenBody
	switch {
	case errors.As(err, &broken):
		k.Cancel(http2.Cancel, broken.error)
	case err == nil && k.t.ResponseHeaderTimeout > 0:
		k.Expire(k.t.ResponseHeaderTimeout)
	}
	k.leave()
}

// brokenBody says that it is the request's body that failed, and not the connection.
type brokenBody struct{ error }

// copy sends the body. It ends the message, too, if no trailers follow and the length is known.
func (u *upload) copy() error {
	k := u.k
	size := int64(uploadPiece)
	if k.length > 0 {
		size = min(size, k.length)
	}
	buf := bufpool.Get(int(size))
	defer bufpool.Put(buf)
	left := k.length
	for left != 0 {
		n, err := u.body.Read(buf)
		if u.closed.Load() {
			return errStopped
		}
		if left > 0 {
			if left -= int64(n); left < 0 {
				return &brokenBody{errTooLong}
			}
		}
		if err != nil && err != io.EOF {
			return &brokenBody{err}
		}
		if err == io.EOF && left > 0 {
			return &brokenBody{fmt.Errorf("http: ContentLength=%d with Body length %d: %w", k.length, k.length-left, io.ErrUnexpectedEOF)}
		}
		if left == 0 && err == nil {
			if err := u.wantEnd(); err != nil {
				return err
			}
		}
		end := (err == io.EOF || left == 0) && len(k.req.Trailer) == 0
		if n > 0 || end {
			if serr := k.SendPart(buf[:n], end); serr != nil {
				return serr
			}
		}
		if err == io.EOF {
			break
		}
	}
	return nil
}

var errTooLong = errors.New("http2: request body larger than specified content length")

// wantEnd fails if the body goes on beyond its length.
func (u *upload) wantEnd() error {
	var one [1]byte
	for range 100 {
		n, err := u.body.Read(one[:])
		switch {
		case n > 0:
			return &brokenBody{errTooLong}
		case err == io.EOF:
			return nil
		case err != nil:
			return &brokenBody{err}
		}
	}
	return &brokenBody{io.ErrNoProgress}
}

// end sends the trailers, whose values the body's reader has set by now.
func (u *upload) end() error {
	k := u.k
	if len(k.req.Trailer) == 0 {
		return nil
	}
	if err := checkFields("trailer", k.req.Trailer); err != nil {
		return &brokenBody{err}
	}
	var fields []http2.Field
	for name, values := range k.req.Trailer {
		for _, v := range values {
			if f := (http2.Field{Name: lowerKey(name), Value: trimSpace(v)}); mayTrail(name) {
				fields = append(fields, f)
			}
		}
	}
	if len(fields) == 0 {
		return k.SendPart(nil, true)
	}
	return k.SendTrailers(fields)
}

// mayTrail tells whether a field may stand in a trailer section.
func mayTrail(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Transfer-Encoding", "Trailer", "Content-Length", "Connection", "Upgrade", "Keep-Alive", "Proxy-Connection", "Te":
		return false
	}
	return true
}

// close closes the body, once.
func (u *upload) close() {
	if !u.closed.Swap(true) {
		u.body.Close()
	}
}

// stop has sending end, if it has not: a Read of the body that waits is woken by its being closed.
func (u *upload) stop() {
	if !u.over.Load() && !u.closed.Swap(true) {
		go u.body.Close()
	}
}
