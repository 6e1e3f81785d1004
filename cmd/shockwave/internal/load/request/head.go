package request

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
)

var errField = errors.New("load: a field cannot be sent: its name is no token, or its value holds a control byte")

// Heads returns the heads of HTTP/1.1, one for each URL.
func (r *Request) Heads() (all [][]byte, err error) {
	for _, u := range r.URLs {
		head, err := r.OpenHead(u)
		if err != nil {
			return nil, err
		}
		all = append(all, append(head, '\r', '\n'))
	}
	return all, nil
}

// OpenHead returns the head of HTTP/1.1 of the request for u, without the empty line at its end.
func (r *Request) OpenHead(u *url.URL) ([]byte, error) {
	head, ok := http1.AppendRequestLine(nil, r.Method, u.RequestURI())
	if !ok {
		return nil, fmt.Errorf("load: no request can be made of method %q and target %q", r.Method, u.RequestURI())
	}
	if head, ok = r.appendDefaults(head, u); !ok {
		return nil, fmt.Errorf("load: %q cannot stand in a Host field", u.Host)
	}
	if head, ok = http1.AppendHeader(head, &r.Header); !ok {
		return nil, errField
	}
	return head, nil
}

// appendDefaults appends Host, User-Agent and Content-Length, unless r.Header has them.
func (r *Request) appendDefaults(head []byte, u *url.URL) (_ []byte, ok bool) {
	ok = true
	if !r.Header.Has("Host") {
		head, ok = http1.AppendField(head, "Host", u.Host)
	}
	if !r.Header.Has("User-Agent") {
		head = append(head, "User-Agent: shockwave\r\n"...)
	}
	if r.hasLength() && !r.Header.Has("Content-Length") {
		head = append(head, "Content-Length: "...)
		head = strconv.AppendInt(head, int64(len(r.Body)), 10)
		head = append(head, '\r', '\n')
	}
	return head, ok
}
