package http1_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/http1"
)

// A head that was copied elsewhere is read from there.
func TestRebase(t *testing.T) {
	for _, tc := range []struct{ head, reason string }{
		{"HTTP/1.1 200 Fine\r\nA: b\r\n\r\n", "Fine"},
		{"HTTP/1.1 200 \r\nA: b\r\n\r\n", ""},
		{"HTTP/1.1 200\r\nA: b\r\n\r\n", ""},
	} {
		var r http1.Response
		first := []byte(tc.head + "body")
		n, err := r.Parse(first, "GET")
		if n != len(tc.head) || err != nil {
			t.Fatal(n, err)
		}
		moved := append([]byte(nil), first[:n]...)
		clear(first)
		r.Rebase(moved)
		if string(r.Reason) != tc.reason || string(r.Header.Get("a")) != "b" {
			t.Errorf("the reason is %q, a is %q", r.Reason, r.Header.Get("a"))
		}
		if r.Header.Set("a", "changed"); string(moved) != tc.head {
			t.Error("a change went to the head")
		}
	}
}
