package nethttp

import (
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// declaredLength returns the Content-Length that the handler has set, or -1 if there is none. An invalid one, one of
// several that differ, or one beside a Transfer-Encoding is logged and not sent (RFC 9112 §6.2).
func (w *response) declaredLength(fields []headermap.Line) int64 {
	length, coding := fieldkind.NoLength, ""
	for i := range fields {
		f := &fields[i]
		switch f.Kind {
		case fieldkind.TransferEncoding:
			coding = firstOf(f.Values)
		case fieldkind.ContentLength:
			for _, text := range f.Values {
				if text == "" {
					continue
				}
				if length = fieldkind.And(length, text); length == fieldkind.BadLength {
					w.owner().logf("http: invalid Content-Length of %q", text)
					return -1
				}
			}
		}
	}
	if length >= 0 && coding != "" && coding != "identity" {
		w.owner().logf("http: WriteHeader called with both Transfer-Encoding of %q and a Content-Length of %d",
			coding, length.Bytes())
		return -1
	}
	return length.Bytes()
}
