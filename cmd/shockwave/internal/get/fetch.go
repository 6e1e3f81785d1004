package get

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/client"
)

// fetched is the line that is printed for a URL. Either the embedded response or Error is set.
type fetched struct {
	URL string `json:"url"` // with its password masked
	*fetchedResponse
	Milliseconds float64 `json:"ms"` // until the end of the body or the error
	Error        string  `json:"error,omitempty"`
}

// fetchedResponse is a complete response.
type fetchedResponse struct {
	Status int    `json:"status"`
	Proto  string `json:"proto"`
	Length int64  `json:"length"` // of the decompressed body
	Body   string `json:"body"`   // the first shownSize bytes; see printableText

	decompressed bool
}

const (
	pieceSize = 32 << 10 // size of the read buffer; the rest of a body is not in memory
	shownSize = 64       // bytes of a body in the output
)

// fetch requests a URL and reads the whole body through the buffer piece. Of the body it keeps only the first bytes.
func fetch(g getter, url string, piece []byte) fetched {
	began := time.Now()
	b, err := readResponse(g, url, piece)
	f := fetched{URL: redacted(url), Milliseconds: float64(time.Since(began).Microseconds()) / 1000}
	if b != nil && b.decompressed {
		// The decompressors of br and zstd have windows of megabytes, which sync.Pools would keep. Pools release what
		// they hold after two garbage collections; FreeOSMemory runs the second one.
		runtime.GC()
		debug.FreeOSMemory()
	}
	switch {
	case err == nil:
		f.fetchedResponse = b
	case b == nil:
		f.Error = errorText(err, url)
	default:
		f.Error = fmt.Sprintf("%s (status %d, after %d bytes of the body)", errorText(err, url), b.Status, b.Length)
	}
	return f
}

// readResponse requests a URL and reads the whole response. With an error it returns the part of the response that
// arrived, or nil if not even the header did.
func readResponse(g getter, url string, piece []byte) (*fetchedResponse, error) {
	resp, err := g.get(url)
	if err != nil {
		return nil, err
	}
	defer resp.close()
	b := &fetchedResponse{Status: resp.status, Proto: resp.proto, decompressed: resp.decompressed}
	var shown [shownSize]byte
	for {
		n, err := resp.body.Read(piece)
		if b.Length < shownSize {
			copy(shown[b.Length:], piece[:n])
		}
		b.Length += int64(n)
		switch err {
		case nil:
		case io.EOF:
			b.Body = printableText(shown[:min(b.Length, shownSize)])
			return b, nil
		default:
			return b, err
		}
	}
}

// errorText returns the error text for a URL. The text contains a URL only if it differs from url, as after a redirect.
func errorText(err error, url string) string {
	if e, ok := errors.AsType[*client.Error](err); ok && (e.URL == "" || strings.HasPrefix(url, e.URL)) {
		err = e.Err
	}
	if e, ok := errors.AsType[*neturl.Error](err); ok && (e.URL == url || e.URL == redacted(url)) {
		err = e.Err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the request has taken too long"
	case err == io.EOF:
		return "the server has ended the connection without a response"
	case err == io.ErrUnexpectedEOF:
		return "the response ends too early"
	}
	return err.Error()
}

// printableText returns b as text. Bytes that are not valid UTF-8 become \x and two hex digits.
func printableText(b []byte) string {
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

// redacted returns the URL s with its password masked.
func redacted(s string) string {
	u, err := neturl.Parse(s)
	if err != nil || u.User == nil {
		return s
	}
	return u.Redacted()
}

// print writes f as a line of JSON.
func (f *fetched) print(w io.Writer) error {
	line := json.NewEncoder(w)
	line.SetEscapeHTML(false)
	return line.Encode(f)
}
