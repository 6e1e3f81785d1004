package h3

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// encode returns the bytes of the requests, one for each URL. Header sections do not depend on one another, since
// there is no dynamic table (RFC 9204 §2.1), so each is encoded once.
func encode(req *request.Request) (all [][]byte, err error) {
	sections, err := req.Sections()
	if err != nil {
		return nil, err
	}
	if err := req.Check(); err != nil {
		return nil, err
	}
	var enc qpack.Encoder
	for _, fields := range sections {
		section := enc.AppendPrefix(nil)
		for _, f := range fields {
			section = enc.AppendField(section, f.Name, f.Value)
		}
		whole := append(h3frame.AppendHeader(nil, h3frame.Headers, uint64(len(section))), section...)
		if body := req.Body; len(body) > 0 {
			whole = append(h3frame.AppendHeader(whole, h3frame.Data, uint64(len(body))), body...)
		}
		all = append(all, whole)
	}
	return all, nil
}
