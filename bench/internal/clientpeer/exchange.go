package clientpeer

import (
	"bytes"
	"fmt"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// The tasks, which are kinds of requests.
const (
	Text   = "text"   // GET of 13 bytes
	Fields = "fields" // the same, and the client reads eight fields of the head
	JSON   = "json"   // GET of 1 KiB of JSON, which the client decodes
	Post   = "post"   // POST of 1 KiB
)

// exchange is a request and its expected response.
type exchange struct {
	url      string
	body     []byte       // the body of a POST; nil means GET
	fields   []peer.Field // fields of the response to read and compare
	json     bool         // decode the body
	response []byte
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
		return nil, fmt.Errorf("unknown task %q", task)
	}
	x.url = base + path
	_, x.response, _ = peer.Expect(path, len(x.body))
	return x, nil
}

// newDelayed returns an exchange whose response the server delays by ms milliseconds.
func newDelayed(base string, ms int) *exchange {
	return &exchange{url: fmt.Sprintf("%s%s?ms=%d", base, peer.PathSleep, ms), response: peer.Greeting}
}

// record is an element of the JSON array.
type record struct {
	ID   int      `json:"id"`
	Name string   `json:"name"`
	Tags []string `json:"tags"`
	Done bool     `json:"done"`
	Fill string   `json:"fill"`
}

// check compares a status and a body.
func (x *exchange) check(status int, body []byte) error {
	if status != 200 || !bytes.Equal(body, x.response) {
		return fmt.Errorf("%s: status %d and %d bytes, want 200 and %q", x.url, status, len(body), x.response)
	}
	return nil
}

// decoded compares a status and a decoded body.
func (x *exchange) decoded(status int, list []record) error {
	if status != 200 || len(list) < 3 || list[1].Name != "record 1" || list[len(list)-1].Fill == "" {
		return fmt.Errorf("%s: status %d and %+v", x.url, status, list)
	}
	return nil
}

// field compares a field of the head.
func (x *exchange) field(name, got, want string) error {
	if got != want {
		return fmt.Errorf("%s: %s is %q, want %q", x.url, name, got, want)
	}
	return nil
}
