package main

import (
	"fmt"
	"io"
	"strings"
)

// wire returns the bytes of a request with a body, with a Content-Length or in chunks.
func (a ask) wire(chunked bool) string {
	var b strings.Builder
	a.writeTo(&b, chunked, int(max(a.size, 1)))
	return b.String()
}

// writeTo writes a request with a body, with a Content-Length or in chunks. Each piece of the body is a write of its own.
func (a ask) writeTo(w io.Writer, chunked bool, piece int) error {
	body := patternOf(a.number, a.size)
	lines := fmt.Sprintf("Content-Length: %d\r\n", a.size)
	if chunked {
		lines = "Transfer-Encoding: chunked\r\n"
	}
	if _, err := io.WriteString(w, a.head(lines)); err != nil {
		return err
	}
	for body.left > 0 {
		p := body.next(piece)
		if chunked {
			p = fmt.Appendf(nil, "%x\r\n%s\r\n", len(p), p)
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	if chunked {
		_, err := io.WriteString(w, "0\r\n\r\n")
		return err
	}
	return nil
}
