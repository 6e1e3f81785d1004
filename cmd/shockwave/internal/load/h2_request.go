package load

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// newH2Request builds the header sections for HTTP/2: one for each URL.
func newH2Request(cfg *Config) (*request, error) {
	urls := cfg.urls()
	r := &request{method: cfg.Method, turns: turns{all: len(urls)}}
	for _, u := range urls {
		fields, err := newH2Fields(cfg, u)
		if err != nil {
			return nil, err
		}
		r.fields, r.bodies = append(r.fields, fields), append(r.bodies, cfg.Body)
	}
	if err := r.checkFields(cfg); err != nil {
		return nil, err
	}
	return r, nil
}

// newH2Fields builds the header section for u (RFC 9113 §8.3.1). :authority takes the place of HTTP/1.1's Host.
func newH2Fields(cfg *Config, u *url.URL) ([]http2.Field, error) {
	authority := cfg.URL.Host
	if cfg.Header.Has("Host") {
		authority = cfg.Header.GetString("Host")
	}
	fields := []http2.Field{
		{Name: ":method", Value: cfg.Method}, {Name: ":scheme", Value: u.Scheme}, {Name: ":authority", Value: authority},
		{Name: ":path", Value: u.RequestURI()},
	}
	if !cfg.Header.Has("User-Agent") {
		fields = append(fields, http2.Field{Name: "user-agent", Value: "shockwave"})
	}
	if cfg.hasLength() && !cfg.Header.Has("Content-Length") {
		fields = append(fields, http2.Field{Name: "content-length", Value: strconv.Itoa(len(cfg.Body))})
	}
	for i := range cfg.Header.Len() {
		name, value := cfg.Header.At(i)
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
