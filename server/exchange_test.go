package server

import (
	"reflect"
	"strings"
	"testing"
)

// One large message does not stay in the pool's memory for the ones after it.
func TestAnExchangeKeepsLittle(t *testing.T) {
	s := NewServer(Config{MaxHeadFields: -1, MaxHeadBytes: -1})
	m := s.h1.lend(&h1Conn{srv: &s.h1}, nil)
	large := strings.Repeat("x", 10*keptScratch)
	fields := strings.Repeat("A: b\r\n", keptScratch)
	if n, err := m.head.Parse([]byte("GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n")); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	m.copied = append(m.copied, large...)
	m.req.body.buf = append(m.req.body.buf, large...)
	m.out = append(m.out, large...)
	m.res.buf = append(m.res.buf, large...)
	m.res.header.Add("A", large)
	m.res.trailer.Add("A", large)
	s.h1.giveBack(m)
	for what, kept := range map[string]int{
		"head": cap(m.copied), "body": cap(m.req.body.buf), "response's head": cap(m.out), "response's body": cap(m.res.buf),
		"response's fields": cap(m.res.header.Bytes()), "response's trailers": cap(m.res.trailer.Bytes()),
	} {
		if kept > keptScratch {
			t.Errorf("%s: %d bytes are kept", what, kept)
		}
	}
	const lineSize = 16
	if kept := reflect.ValueOf(&m.head.Header).Elem().FieldByName("lines").Cap(); kept*lineSize > keptScratch {
		t.Errorf("request's fields: %d lines are kept", kept)
	}
}
