package httpread

import (
	"errors"
	"io"

	"github.com/shockwave-go/shockwave/http1"
)

// RequestHead reads a whole request head into r, which has been reset. It returns the length of the head in bytes. The
// head stays in c's unread bytes, and r points into them. RequestHead fails with a *http1.Error for a malformed request
// (RFC 9112 §2, §3), io.EOF if the connection ended before a request, io.ErrUnexpectedEOF if it ended within the head
// (RFC 9112 §8), or with an error of c.
func RequestHead(c Conn, r *http1.Request) (n int, err error) {
	for {
		if n, err = r.Parse(c.Unread()); n > 0 || err != nil {
			return n, err
		}
		if _, err = c.Fill(); err != nil {
			if err == io.EOF && len(c.Unread()) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
}

// ErrInterim means that a server has sent too many interim responses before the final one.
var ErrInterim = errors.New("too many informational responses")

// maxInterim is how many interim responses are accepted before the final one.
const maxInterim = 16

// ResponseHead reads the head of the final response to a request with the given method into r, which has been reset. It
// returns the length of the head in bytes. The head stays in c's unread bytes, and r points into them. Interim
// responses are dropped (RFC 9110 §15.2), except 101, after which another protocol begins (§15.2.2). ResponseHead fails
// with a *http1.Error for a malformed response, io.ErrUnexpectedEOF if the connection ended before the head did (RFC
// 9112 §8), ErrInterim, or with an error of c.
func ResponseHead(c Conn, r *http1.Response, method string) (n int, err error) {
	for interim := 0; ; {
		n, err = r.Parse(c.Unread(), method)
		switch {
		case err != nil:
			return 0, err
		case n > 0 && (r.Status >= 200 || r.Status == 101):
			return n, nil
		case n > 0:
			if interim++; interim > maxInterim {
				return 0, ErrInterim
			}
			r.Reset()
			c.Take(n)
			continue
		}
		if _, err = c.Fill(); err != nil {
			return 0, unexpectedEOF(err)
		}
	}
}

// unexpectedEOF returns err, but io.ErrUnexpectedEOF for io.EOF, because a message is not complete.
func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF // RFC 9112 §8
	}
	return err
}
