package server

import (
	"reflect"
	"strings"
	"testing"
)

// TestAnExchangeKeepsLittle: one large message does not stay in the pool's memory for the ones after it.
func TestAnExchangeKeepsLittle(t *testing.T) {
	s := NewServer(Config{MaxHeadFields: -1, MaxHeadBytes: -1})
	x := s.lend(&conn{srv: s}, nil)
	large := strings.Repeat("x", 10*keptScratch)
	fields := strings.Repeat("A: b\r\n", keptScratch)
	if n, err := x.req.head.Parse([]byte("GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n")); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	x.head = append(x.head, large...)
	x.req.body.buf = append(x.req.body.buf, large...)
	x.res.head = append(x.res.head, large...)
	x.res.buf = append(x.res.buf, large...)
	x.res.header.Add("A", large)
	x.res.trailer.Add("A", large)
	s.giveBack(x)
	for what, kept := range map[string]int{
		"head": cap(x.head), "body": cap(x.req.body.buf), "answer's head": cap(x.res.head), "answer's body": cap(x.res.buf),
		"answer's fields": cap(x.res.header.Bytes()), "answer's trailers": cap(x.res.trailer.Bytes()),
	} {
		if kept > keptScratch {
			t.Errorf("%s: %d bytes are kept", what, kept)
		}
	}
	const lineSize = 16
	if kept := reflect.ValueOf(&x.req.head.Header).Elem().FieldByName("lines").Cap(); kept*lineSize > keptScratch {
		t.Errorf("request's fields: %d lines are kept", kept)
	}
}
