package httpread

import (
	"errors"
	"io"

	"github.com/shockwave-go/shockwave/http1"
)

// RequestHead reads until r, which has been reset, is a whole head. It returns how many of c's unread bytes that is: r
// borrows them, and they stay unread. It fails with a *http1.Error for what is no request (RFC 9112 §2, §3), io.EOF if
// the connection ended before one, io.ErrUnexpectedEOF if it ended within (RFC 9112 §8), or as c does.
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

// ErrInterim says that a server sends one interim answer after the other.
var ErrInterim = errors.New("too many interim answers")

// maxInterim is how many may come before the answer that counts.
const maxInterim = 16

// ResponseHead reads until r, which has been reset, is the whole head of the final answer to a request with method. It
// returns how many of c's unread bytes that is: r borrows them, and they stay unread. Interim answers are taken and
// dropped (RFC 9110 §15.2), but for 101, behind which another protocol begins (§15.2.2). It fails with a *http1.Error for
// what is no answer, io.ErrUnexpectedEOF if the connection ended before the head did (RFC 9112 §8), after too many
// interim answers, or as c does.
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

// cut turns the end of a connection into what it means within a message.
func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF // RFC 9112 §8
	}
	return err
}
