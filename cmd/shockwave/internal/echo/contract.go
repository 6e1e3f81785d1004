package echo

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// WebSocket requests (RFC 6455) are accepted on every path; the echo sends every message back unchanged. The paths
// below are treated specially. They must match byte for byte, without decoding. Any other request is answered with a
// report of what arrived.
const (
	pathChunked   = "/chunked"    // the report, without a Content-Length
	path204       = "/status/204" // no content
	path304       = "/status/304" // not modified
	pathNoRead    = "/noread"     // the text "noread"; the request body is left to the server
	pathBig       = "/big"        // ?n=N: N bytes of "x"
	pathPlaintext = "/plaintext"  // "Hello, World!"
	pathSleep     = "/sleep"      // ?ms=N: answers after N milliseconds
)

const (
	plain     = "text/plain"
	greeting  = "Hello, World!"
	noread    = "noread"
	slept     = "slept\n"
	allowed   = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE" // RFC 9110 §15.5.6: a 405 lists them
	noConnect = "this is not a proxy"
	noBody    = "the body could not be read whole"
	noNumber  = "a decimal number is missing or out of range"

	largest      = 1e18 - 1 // bytes of /big; sums with it do not overflow int64
	longestSleep = 10 * time.Minute
)

// writeXs writes n bytes of "x" to w. It stops at the first error.
func writeXs(w io.Writer, n int64) {
	for n > 0 {
		m, err := w.Write(xs[:min(n, int64(len(xs)))])
		if err != nil {
			return
		}
		n -= int64(m)
	}
}

// xs is the block that /big repeats.
var xs = func() (b [32 << 10]byte) {
	for i := range b {
		b[i] = 'x'
	}
	return b
}()

// appendReport appends the report about a request. The request's body follows it in the response.
func appendReport[B ~string | ~[]byte](dst []byte, method, target, host, probe B, length int) []byte {
	dst = append(append(dst, "method: "...), method...)
	dst = append(append(dst, "\ntarget: "...), target...)
	dst = append(append(dst, "\nhost: "...), host...)
	dst = append(append(dst, "\nprobe: "...), probe...)
	dst = strconv.AppendInt(append(dst, "\nlength: "...), int64(length), 10)
	return append(dst, "\n\n"...)
}

// bodyStatus returns the status for a body that could not be read completely.
func bodyStatus(err error) int {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	}
	return http.StatusBadRequest
}

// number returns the decimal number that query has for key. It reports false if there is none or it exceeds most.
func number(query, key string, most int64) (int64, bool) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, false
	}
	// ParseUint accepts no sign, prefix or separators; 63 bits fit an int64.
	n, err := strconv.ParseUint(values.Get(key), 10, 63)
	return int64(n), err == nil && int64(n) <= most
}
