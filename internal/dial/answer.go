package dial

import (
	"errors"
	"io"
	"net"
	"slices"

	"github.com/shockwave-go/shockwave/http1"
)

// maxInterim is how many interim answers a server may send before the one that counts.
const maxInterim = 16

var errInterim = errors.New("dial: too many interim answers")

// ReadAnswer reads the head of the answer to a request with method from nc, within the default limits of http1. Interim
// answers are skipped (RFC 9110 §15.2), but for 101, after which another protocol begins. rest are the bytes behind the
// head that came with it; they and the slices of the answer are the caller's. If nc ends amid a head the error is
// io.ErrUnexpectedEOF.
func ReadAnswer(nc net.Conn, method string) (r *http1.Response, rest []byte, err error) {
	r = &http1.Response{}
	buf := make([]byte, 0, 1<<10)
	for interim := 0; ; {
		n, err := r.Parse(buf, method)
		switch {
		case err != nil:
			return nil, nil, err
		case n > 0 && (r.Status >= 200 || r.Status == 101):
			return r, buf[n:], nil
		case n > 0:
			if interim++; interim > maxInterim {
				return nil, nil, errInterim
			}
			buf = buf[n:]
			r.Reset()
			continue
		}
		buf = slices.Grow(buf, 1)
		n, err = nc.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case n > 0:
		case err == io.EOF:
			return nil, nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, nil, err
		}
	}
}
