package request

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// Sections returns the header sections of HTTP/2 and HTTP/3, one for each URL.
func (r *Request) Sections() (all [][]http2.Field, err error) {
	for _, u := range r.URLs {
		fields, err := r.section(u)
		if err != nil {
			return nil, err
		}
		all = append(all, fields)
	}
	return all, nil
}

// section returns the header section for u (RFC 9113 §8.3.1). :authority takes the place of HTTP/1.1's Host.
func (r *Request) section(u *url.URL) ([]http2.Field, error) {
	authority := u.Host
	if r.Header.Has("Host") {
		authority = r.Header.GetString("Host")
	}
	fields := []http2.Field{
		{Name: ":method", Value: r.Method}, {Name: ":scheme", Value: u.Scheme}, {Name: ":authority", Value: authority},
		{Name: ":path", Value: u.RequestURI()},
	}
	if !r.Header.Has("User-Agent") {
		fields = append(fields, http2.Field{Name: "user-agent", Value: "shockwave"})
	}
	if r.hasLength() && !r.Header.Has("Content-Length") {
		fields = append(fields, http2.Field{Name: "content-length", Value: strconv.Itoa(len(r.Body))})
	}
	for i := range r.Header.Len() {
		name, value := r.Header.At(i)
		if lower := strings.ToLower(string(name)); lower != "host" {
			fields = append(fields, http2.Field{Name: lower, Value: string(value)})
		}
	}
	for _, f := range fields {
		if !http2.ValidField(f.Name, f.Value) {
			return nil, fmt.Errorf("load: HTTP/2 cannot send the field %q: %q", f.Name, f.Value)
		}
	}
	return fields, nil
}
