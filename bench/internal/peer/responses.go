package peer

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Response is the response of every peer to a GET of Path: status 200, the body, its Content-Length, and a Date.
type Response struct {
	Path        string
	ContentType string
	Body        []byte // must not be changed
	Close       bool   // the peer closes the connection afterwards
}

const (
	typeText  = "text/plain; charset=utf-8"
	typeJSON  = "application/json"
	typeBytes = "application/octet-stream"
)

// Paths of the responses. Four paths are not in Responses: PathPost responds with the length of the request body, PathSleep waits
// ?ms=N milliseconds and responds with the greeting, PathWork computes its response for each request, and PathFields responds
// with Fields and the greeting. Only the native peer has PathFields, which serves to measure clients.
const (
	PathText  = "/plaintext" // the classic greeting of 13 bytes
	PathJSON  = "/json"      // 1,024 bytes
	Path16K   = "/16k"
	Path64K   = "/64k"
	Path1M    = "/1m"
	PathClose = "/close" // the greeting, after which the connection is closed
	PathPost  = "/post"
	PathSleep = "/sleep"

	PathFields = "/fields"
)

// Field is a header field.
type Field struct{ Name, Value string }

// Fields are the header fields of the response on PathFields. They are typical of services.
var Fields = []Field{
	{"Cache-Control", "private, max-age=60"},
	{"Etag", `"5f3a9c7e21"`},
	{"Last-Modified", "Mon, 23 Nov 2026 03:08:01 GMT"},
	{"Vary", "Accept-Encoding"},
	{"X-Request-Id", "0193a2b4-7c5d-7e6f-8a9b-0c1d2e3f4a5b"},
	{"X-Ratelimit-Limit", "5000"},
	{"X-Ratelimit-Remaining", "4987"},
	{"Strict-Transport-Security", "max-age=31536000"},
}

// Responses are the responses that do not depend on the request.
var Responses = []Response{
	{Path: PathText, ContentType: typeText, Body: Greeting},
	{Path: PathJSON, ContentType: typeJSON, Body: document},
	{Path: Path16K, ContentType: typeBytes, Body: letters(16 << 10)},
	{Path: Path64K, ContentType: typeBytes, Body: letters(64 << 10)},
	{Path: Path1M, ContentType: typeBytes, Body: letters(1 << 20)},
	{Path: PathClose, ContentType: typeText, Body: Greeting, Close: true},
}

// Greeting is the response on PathText. It must not be changed.
var Greeting = []byte("Hello, World!")

var document = records(1 << 10)

// find returns the response for path, nil if there is none.
func find(path string) *Response {
	for i := range Responses {
		if Responses[i].Path == path {
			return &Responses[i]
		}
	}
	return nil
}

// records returns a JSON array of n bytes. It contains no character that is special in nginx's configuration.
func records(n int) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := 0; b.Len() < n-100; i++ {
		fmt.Fprintf(&b, `{"id":%d,"name":"record %d","tags":["first","second"],"done":false},`, i, i)
	}
	fmt.Fprintf(&b, `{"fill":""}]`)
	fill := strings.Repeat("x", n-b.Len())
	return bytes.Replace(b.Bytes(), []byte(`""`), []byte(`"`+fill+`"`), 1)
}

func letters(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(i%26)
	}
	return b
}

// Expect returns the response of every peer to a request for path, which may have a query, with a body of the given length.
func Expect(path string, body int) (contentType string, response []byte, end bool) {
	path, _, _ = strings.Cut(path, "?")
	switch path {
	case PathPost:
		return typeText, strconv.AppendInt(nil, int64(body), 10), false
	case PathSleep, PathFields:
		return typeText, Greeting, false
	case PathWork:
		return typeJSON, work(), false
	}
	if a := find(path); a != nil {
		return a.ContentType, a.Body, a.Close
	}
	return "", nil, false
}
