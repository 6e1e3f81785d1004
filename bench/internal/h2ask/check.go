package h2ask

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
)

// Do does the exchange and returns an error that says how the response differs from the expected one. It does not check the
// content type if x.ContentType is empty. It ignores x.Close.
func (c *Conn) Do(x *frame.Exchange) error {
	var fields []string
	for _, line := range x.Fields {
		name, value, _ := strings.Cut(line, ": ")
		fields = append(fields, strings.ToLower(name), value)
	}
	got, err := c.Ask(x.Method, x.Path, fields, x.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", x.Method, x.Path, err)
	}
	return Check(x, got)
}

// Check returns an error that says how got differs from the expected response of x, nil if it does not.
func Check(x *frame.Exchange, got *Reply) error {
	var wrong []string
	differ := func(what, got, want string) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("%s is %q, want %q", what, got, want))
		}
	}
	field := func(name string) string { return strings.Join(got.Header[name], ", ") }
	differ("the status", field(":status"), "200")
	if x.ContentType != "" {
		differ("content-type", field("content-type"), x.ContentType)
	}
	differ("content-length", field("content-length"), strconv.Itoa(len(x.Response)))
	if _, err := http.ParseTime(field("date")); err != nil {
		wrong = append(wrong, fmt.Sprintf("date is %q", field("date")))
	}
	if !bytes.Equal(got.Body, x.Response) {
		wrong = append(wrong, "the body is another")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s %s: %s", x.Method, x.Path, strings.Join(wrong, "; "))
	}
	return nil
}

// Once does the exchange on a new connection.
func Once(addr string, withTLS bool, x *frame.Exchange) error {
	c, err := Dial(addr, withTLS)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Do(x)
}

// Conns are many connections to one server.
type Conns []*Conn

// Open opens n connections one by one and does the exchange on each. The caller closes them. After an error none are open.
func Open(addr string, withTLS bool, n int, x *frame.Exchange) (Conns, error) {
	var all Conns
	for i := range n {
		c, err := Dial(addr, withTLS)
		if err == nil {
			all = append(all, c)
			err = c.Do(x)
		}
		if err != nil {
			all.Close()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return all, nil
}

// Close closes all of them.
func (all Conns) Close() {
	for _, c := range all {
		c.Close()
	}
}
