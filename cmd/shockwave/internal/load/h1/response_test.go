package h1

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Three responses in a row mean the same in pieces of any size.
func TestResponsesInPieces(t *testing.T) {
	const whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"
	for _, c := range []struct {
		name, method, response string
		status, length         int
	}{
		{"a length", "GET", whole, 200, 4},
		{"no byte", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, 0},
		{"chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n2;x=y\r\nne\r\n0\r\n\r\n", 200, 4},
		{"trailers", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\nDigest: x\r\nTook: 1\r\n\r\n", 200, 4},
		{"interim responses", "GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + whole, 200, 4},
		{"the head alone", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n", 200, 0},
		{"no content", "GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, 0},
		{"not modified", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", 304, 0},
		{"elsewhere", "GET", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 302, 0},
		{"the last one", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine", 200, 4},
		{"an old server", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfine", 200, 4},
	} {
		other := strings.Replace(c.response, "\r\n\r\n", "\r\nX: y\r\n\r\n", 1)
		stream := []byte(c.response + c.response + other)
		want := fmt.Sprintf("%d %d, ", c.status, c.length)
		for size := 1; size <= len(stream); size++ {
			if got := readInPieces(t, c.method, stream, size); got != strings.Repeat(want, 3) {
				t.Fatalf("%s: pieces of %d: %q, want three times %q", c.name, size, got, want)
			}
		}
	}
}

// readInPieces gives stream to the reader so that size more bytes are there each time, and tells what it read.
func readInPieces(t *testing.T, method string, stream []byte, size int) (got string) {
	t.Helper()
	var a responseReader
	var known knownHead
	taken := 0
	for end := size; ; end = min(end+size, len(stream)) {
		piece := bytes.Clone(stream[taken:end]) // memory moves between two reads
		for {
			n, whole, err := a.read(piece, method, &known)
			if err != nil {
				t.Fatal(err)
			}
			taken += n
			piece = piece[n:]
			if !whole {
				break
			}
			got += fmt.Sprintf("%d %d, ", a.status, a.length)
		}
		if end == len(stream) {
			return got
		}
	}
}
