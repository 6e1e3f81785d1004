package peer

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Answer is what every peer says to a GET of Path: status 200, these bytes, their length as Content-Length, and a Date.
type Answer struct {
	Path        string
	ContentType string
	Body        []byte // must not be changed
	Close       bool   // the peer ends the connection after it
}

const (
	typeText  = "text/plain; charset=utf-8"
	typeJSON  = "application/json"
	typeBytes = "application/octet-stream"
)

// Paths of the answers. Four more are not in Answers: PathPost counts the body that is sent to it, PathSleep waits
// ?ms=N milliseconds before it greets, PathWork makes its answer anew each time, and PathFields greets with Fields, which
// only the native peer does: what it is asked there is about clients.
const (
	PathText  = "/plaintext" // the classic greeting of 13 bytes
	PathJSON  = "/json"      // 1,024 bytes
	Path16K   = "/16k"
	Path64K   = "/64k"
	Path1M    = "/1m"
	PathClose = "/close" // the greeting, and the end of the connection
	PathPost  = "/post"
	PathSleep = "/sleep"

	PathFields = "/fields"
)

// Field is a field of a head.
type Field struct{ Name, Value string }

// Fields are those of the answer on PathFields: such as services send, and clients look at.
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

// Answers are the answers that do not depend on the request.
var Answers = []Answer{
	{Path: PathText, ContentType: typeText, Body: Greeting},
	{Path: PathJSON, ContentType: typeJSON, Body: document},
	{Path: Path16K, ContentType: typeBytes, Body: letters(16 << 10)},
	{Path: Path64K, ContentType: typeBytes, Body: letters(64 << 10)},
	{Path: Path1M, ContentType: typeBytes, Body: letters(1 << 20)},
	{Path: PathClose, ContentType: typeText, Body: Greeting, Close: true},
}

// Greeting is the answer on PathText. It must not be changed.
var Greeting = []byte("Hello, World!")

var document = records(1 << 10)

// find returns the answer for path, nil if there is none.
func find(path string) *Answer {
	for i := range Answers {
		if Answers[i].Path == path {
			return &Answers[i]
		}
	}
	return nil
}

// records is a JSON array of n bytes. It has no byte that nginx's configuration would understand.
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

// Expect returns what every peer answers on path, query included, to a request with a body of so many bytes.
func Expect(path string, body int) (contentType string, answer []byte, end bool) {
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
