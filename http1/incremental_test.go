package http1

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// A long element that comes byte by byte is not read again for every byte. The test needs no clock: the bytes that were
// read are overwritten with bytes that would be refused, until the element is whole.
func TestByteByByteLooksAtNewBytesOnly(t *testing.T) {
	const size = 30_000
	long := strings.Repeat("a", size)
	for _, tc := range []struct{ name, before, after string }{
		{"target", "GET /", " HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"field name", "GET / HTTP/1.1\r\nHost: x\r\n", ": b\r\n\r\n"},
		{"field value", "GET / HTTP/1.1\r\nHost: x\r\nA: ", "\r\n\r\n"},
		{"field value with tabs", "GET / HTTP/1.1\r\nHost: x\r\nA: \t", "\t\r\n\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			whole := []byte(tc.before + long + tc.after)
			from, to := len(tc.before), len(tc.before)+size
			poisoned := bytes.Clone(whole)
			var r Request
			for n := 1; n < len(whole); n++ {
				if n > from && n <= to {
					poisoned[n-1] = whole[n-1]
					if n-2 >= from {
						poisoned[n-2] = 0
					}
				} else {
					copy(poisoned, whole)
				}
				if took, err := r.Parse(poisoned[:n]); took != 0 || err != nil {
					t.Fatalf("Parse of %d bytes = %d, %v", n, took, err)
				}
			}
			if n, err := r.Parse(whole); n != len(whole) || err != nil {
				t.Fatalf("Parse of the whole = %d, %v; want %d", n, err, len(whole))
			}
		})
	}
}

// A long reason phrase that comes byte by byte is not read again for every byte.
func TestByteByByteReason(t *testing.T) {
	whole := []byte("HTTP/1.1 200 " + strings.Repeat("a", 30_000) + "\r\n\r\n")
	poisoned := bytes.Clone(whole)
	var r Response
	for n := 1; n < len(whole); n++ {
		if n-2 > reasonStart && n < len(whole)-4 {
			poisoned[n-2] = 0
		} else {
			copy(poisoned, whole)
		}
		if took, err := r.Parse(poisoned[:n], "GET"); took != 0 || err != nil {
			t.Fatalf("Parse of %d bytes = %d, %v", n, took, err)
		}
	}
	if n, err := r.Parse(whole, "GET"); n != len(whole) || err != nil || len(r.Reason) != 30_000 {
		t.Fatalf("Parse of the whole = %d, %v, reason of %d bytes", n, err, len(r.Reason))
	}
}

// The results of Parse point at the bytes of the last call, not at those of an earlier one.
func TestSlicesFollowTheBuffer(t *testing.T) {
	const head = "GET http://host:1/path?query HTTP/1.1\r\nHost: y\r\nName: value\r\n\r\n"
	for cut := range len(head) {
		first := []byte(head[:cut])
		var r Request
		if n, err := r.Parse(first); n != 0 || err != nil {
			t.Fatalf("Parse of %d bytes = %d, %v", cut, n, err)
		}
		for i := range first {
			first[i] = '!'
		}
		if n, err := r.Parse([]byte(head)); n != len(head) || err != nil {
			t.Fatalf("cut at %d: Parse = %d, %v", cut, n, err)
		}
		name, value := r.Header.At(1)
		got := string(bytes.Join([][]byte{r.Method, r.Target, r.Scheme, r.Authority, r.Path, r.Query, r.Host, name, value}, []byte{' '}))
		if want := "GET http://host:1/path?query http host:1 /path query host:1 Name value"; got != want {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
}

// The bytes of a head begin with the request line, without empty lines before it, and positions in them are right.
func TestHeaderBytesBeginWithTheRequestLine(t *testing.T) {
	var r Request
	n, err := r.Parse([]byte("\r\n\r\n" + smallest + "rest"))
	if err != nil || n != 4+len(smallest) || string(r.Header.Bytes()) != smallest {
		t.Fatalf("Parse = %d, %v; head %q", n, err, r.Header.Bytes())
	}
	if l := r.Header.Line(0); string(r.Header.Bytes()[l.Name.Start:l.Value.End]) != "Host: x" {
		t.Errorf("line %v", l)
	}
}

// After Reset a value is like a new one, except for its limits and the memory of its list.
func TestResetForgets(t *testing.T) {
	limits := Limits{Fields: 9}
	r := Request{Limits: limits}
	if n, err := r.Parse([]byte("POST http://y/?q HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\nUpgrade: a\r\nExpect: b, 100-continue\r\nContent-Length: 3\r\n\r\n")); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	r.Reset()
	r.Header = shockwave.Header{}
	if want := (Request{Limits: limits}); !reflect.DeepEqual(r, want) {
		t.Errorf("after Reset: %+v, want %+v", r, want)
	}
	resp := Response{Limits: limits}
	if n, err := resp.Parse([]byte("HTTP/1.1 101 Eh\r\nConnection: upgrade\r\nUpgrade: a\r\nContent-Length: 3\r\n\r\n"), "GET"); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	resp.Reset()
	resp.Header = shockwave.Header{}
	if want := (Response{Limits: limits}); !reflect.DeepEqual(resp, want) {
		t.Errorf("after Reset: %+v, want %+v", resp, want)
	}
}

// Appending to a slice that was returned does not overwrite the bytes behind it in the buffer.
func TestSlicesEndWhereTheyEnd(t *testing.T) {
	in := []byte("POST http://h/p?q HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	var r Request
	n, err := r.Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	name, value := r.Header.At(0)
	var d Body
	d.Start(r.Framing, Limits{})
	data, _, _ := d.Next(in[n:])
	d.Start(Framing{ByLength, 2}, Limits{})
	counted, _, _ := d.Next(in[n:])
	for i, s := range [][]byte{r.Method, r.Target, r.Scheme, r.Authority, r.Path, r.Query, r.Host, r.Header.Bytes(), name, value, data, counted} {
		if len(s) == 0 || cap(s) != len(s) {
			t.Errorf("slice %d %q has room for %d bytes more", i, s, cap(s)-len(s))
		}
	}
}

// Lines that were read before a head is whole, or before it is refused, can be read, for a log.
func TestLinesOfARefusedHead(t *testing.T) {
	var r Request
	for _, in := range []string{"\r\nGET / HTTP/1.1\r\nHost: x\r\nB", "\r\nGET / HTTP/1.1\r\nHost: x\r\nB c"} {
		n, err := r.Parse([]byte(in))
		if name, value := r.Header.At(0); n != 0 || string(name) != "Host" || string(value) != "x" {
			t.Errorf("%q: %d, %v, line %q: %q", in, n, err, name, value)
		}
	}
	var d Body
	d.Start(Framing{Delimiter: ByChunks}, Limits{})
	if _, _, err := d.Next([]byte("0\r\nA: b\r\nC : d\r\n")); err != errSpaceColon {
		t.Error(err)
	}
	if name, value := d.Trailer().At(0); string(name) != "A" || string(value) != "b" {
		t.Errorf("trailer line %q: %q", name, value)
	}
}
