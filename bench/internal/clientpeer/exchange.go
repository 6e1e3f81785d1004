package clientpeer

import (
	"bytes"
	"fmt"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// Tasks are what a client asks for.
const (
	Text   = "text"   // a body of 13 bytes
	Fields = "fields" // the same, and eight fields of the head are read
	JSON   = "json"   // 1 KiB, which is decoded
	Post   = "post"   // 1 KiB is sent
)

// exchange is a request, and what its answer must be.
type exchange struct {
	url    string
	body   []byte // what is posted; nil gets
	fields []peer.Field
	json   bool // the body is decoded
	answer []byte
}

func newExchange(base, task string) (*exchange, error) {
	x := new(exchange)
	var path string
	switch task {
	case Text:
		path = peer.PathText
	case Fields:
		path, x.fields = peer.PathFields, peer.Fields
	case JSON:
		path, x.json = peer.PathJSON, true
	case Post:
		path, x.body = peer.PathPost, bytes.Repeat([]byte("0123456789abcdef"), 64)
	default:
		return nil, fmt.Errorf("there is no task %q", task)
	}
	x.url = base + path
	_, x.answer, _ = peer.Expect(path, len(x.body))
	return x, nil
}

// newNap asks for what is answered so many milliseconds later.
func newNap(base string, ms int) *exchange {
	return &exchange{url: fmt.Sprintf("%s%s?ms=%d", base, peer.PathSleep, ms), answer: peer.Greeting}
}

// record is one of those that the JSON consists of.
type record struct {
	ID   int      `json:"id"`
	Name string   `json:"name"`
	Tags []string `json:"tags"`
	Done bool     `json:"done"`
	Fill string   `json:"fill"`
}

// check looks at a status and a body.
func (x *exchange) check(status int, body []byte) error {
	if status != 200 || !bytes.Equal(body, x.answer) {
		return fmt.Errorf("%s: status %d and %d bytes, want 200 and %q", x.url, status, len(body), x.answer)
	}
	return nil
}

// decoded looks at a status and what was read from JSON.
func (x *exchange) decoded(status int, list []record) error {
	if status != 200 || len(list) < 3 || list[1].Name != "record 1" || list[len(list)-1].Fill == "" {
		return fmt.Errorf("%s: status %d and %+v", x.url, status, list)
	}
	return nil
}

// field looks at a field of the head.
func (x *exchange) field(name, got, want string) error {
	if got != want {
		return fmt.Errorf("%s: %s is %q, want %q", x.url, name, got, want)
	}
	return nil
}
