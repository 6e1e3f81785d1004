package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/client"
)

// fetched is what is printed of a URL: either what it has brought, or why it has brought nothing.
type fetched struct {
	URL string `json:"url"` // without a password
	*brought
	Milliseconds float64 `json:"ms"` // until the end of the body, or until it was clear that there would be none
	Error        string  `json:"error,omitempty"`
}

// brought is a response that has come whole.
type brought struct {
	Status int    `json:"status"`
	Proto  string `json:"proto"`
	Length int64  `json:"length"` // of the body, decompressed
	Body   string `json:"body"`   // how it begins: see legible

	decompressed bool
}

const (
	pieceSize = 32 << 10 // of a body, read at once; no more of it is there at any time
	shownSize = 64       // bytes of a body that are printed
)

// fetch asks for a URL and reads its body to the end in pieces, of which none is kept.
func fetch(c *client.Client, url string, piece []byte) fetched {
	began := time.Now()
	b, err := bring(c, url, piece)
	f := fetched{URL: redacted(url), Milliseconds: float64(time.Since(began).Microseconds()) / 1000}
	if b != nil && b.decompressed {
		// What undoes br and zstd has windows of megabytes, and would be kept for a while. Pools give up what they hold when
		// the collector has run twice.
		runtime.GC()
		debug.FreeOSMemory()
	}
	switch {
	case err == nil:
		f.brought = b
	case b == nil:
		f.Error = reason(err, url)
	default:
		f.Error = fmt.Sprintf("%s (status %d, after %d bytes of the body)", reason(err, url), b.Status, b.Length)
	}
	return f
}

// bring returns a response; with an error what there was of it, nil if not even its head was there.
func bring(c *client.Client, url string, piece []byte) (*brought, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	b := &brought{Status: resp.StatusCode(), Proto: resp.Proto(), decompressed: resp.Decompressed()}
	var shown [shownSize]byte
	for {
		n, err := resp.Body().Read(piece)
		if b.Length < shownSize {
			copy(shown[b.Length:], piece[:n])
		}
		b.Length += int64(n)
		switch err {
		case nil:
		case io.EOF:
			b.Body = legible(shown[:min(b.Length, shownSize)])
			return b, nil
		default:
			return b, err
		}
	}
}

// reason is why a URL cannot be had. It names a URL only where that is another one, behind a redirect.
func reason(err error, url string) string {
	if e, ok := errors.AsType[*client.Error](err); ok && (e.URL == "" || strings.HasPrefix(url, e.URL)) {
		err = e.Err
	}
	switch err {
	case io.EOF:
		return "the server has ended the connection without a response"
	case io.ErrUnexpectedEOF:
		return "the response ends too early"
	}
	return err.Error()
}

// legible is b as text: what is UTF-8 as it is, every other byte as \x and two hex digits.
func legible(b []byte) string {
	var text strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&text, `\x%02x`, b[0])
		} else {
			text.Write(b[:size])
		}
		b = b[size:]
	}
	return text.String()
}

// redacted is a URL as others may see it: a password in it is not told.
func redacted(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.User == nil {
		return s
	}
	return u.Redacted()
}

// print prints f as one line.
func (f *fetched) print(w io.Writer) error {
	line := json.NewEncoder(w)
	line.SetEscapeHTML(false)
	return line.Encode(f)
}
