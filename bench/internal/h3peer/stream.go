package h3peer

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/server"
)

// PathStream is the path of responses that handlers write piece by piece, since they are too long to be kept: ?mib=N is the
// length in MiB.
const PathStream = "/stream"

const (
	streamType = "application/octet-stream"
	mib        = 1 << 20
)

// piece is what handlers write at once.
var piece = bytes.Repeat([]byte("0123456789abcdef"), 64<<10/16)

// Stream returns the path of a response of n MiB.
func Stream(n int) string { return fmt.Sprintf("%s?mib=%d", PathStream, n) }

// Expect is peer.Expect, and knows PathStream too.
func Expect(path string, body int) (contentType string, response []byte) {
	if query, found := strings.CutPrefix(path, PathStream+"?"); found {
		n, _ := length([]byte(query))
		return streamType, bytes.Repeat(piece, n/len(piece))
	}
	contentType, response, _ = peer.Expect(path, body)
	return contentType, response
}

// length returns the length in bytes that a query asks for.
func length(query []byte) (int, error) {
	digits, _ := bytes.CutPrefix(query, []byte("mib="))
	n, err := strconv.ParseUint(string(digits), 10, 10)
	return int(n) * mib, err
}

// native is the handler of the native peer.
var native server.Handler = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
	if string(r.Path()) != PathStream {
		peer.NativeHandler.ServeHTTP(w, r)
		return
	}
	n, err := length(r.Query())
	if err != nil {
		w.Error(http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", streamType)
	w.SetContentLength(int64(n))
	write(w, n)
})

// handler is the handler of the other peers in this program.
var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != PathStream {
		peer.Handler.ServeHTTP(w, r)
		return
	}
	n, err := length([]byte(r.URL.RawQuery))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", streamType)
	w.Header().Set("Content-Length", strconv.Itoa(n))
	write(w, n)
})

// write writes n bytes, a multiple of the length of a piece. It ends early if the client has gone.
func write(w io.Writer, n int) {
	for range n / len(piece) {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}
