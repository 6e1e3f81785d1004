package http1

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// seed adds the inputs of the golden cases that are not too long to be worth mutating.
func seed(f *testing.F, requests bool) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, g := range readGolden(f, strings.Split(string(text), "\n")) {
			if (g.mode.method == "") == requests && len(g.input) < 1000 {
				f.Add(g.input, uint64(len(g.input)))
			}
		}
	}
}

// piecesAgree reports whether the log of input is the same in one piece, byte by byte and in random pieces.
func piecesAgree(t *testing.T, settings conversation, input []byte, random uint64) []string {
	c := settings
	want := converse(&c, input, nil)
	rnd := rand.New(rand.NewPCG(random, 0))
	cuts := make([]int, rnd.IntN(6))
	for i := range cuts {
		cuts[i] = rnd.IntN(len(input) + 1)
	}
	slices.Sort(cuts)
	for _, cuts := range [][]int{everyByte(input), cuts} {
		c := settings
		if got := converse(&c, input, cuts); !slices.Equal(got, want) {
			t.Fatalf("%q cut at %v:\n%s\nin one piece:\n%s", input, cuts, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	return want
}

// FuzzRequest reads requests in different pieces, and reads again what it writes from what it read.
func FuzzRequest(f *testing.F) {
	seed(f, true)
	f.Fuzz(func(t *testing.T, input []byte, random uint64) {
		if len(input) > 8192 {
			t.Skip()
		}
		piecesAgree(t, conversation{}, input, random)
		small := Limits{HeadBytes: 64, TargetBytes: 24, Fields: 3, TrailerBytes: 32, ExtensionBytes: 16}
		piecesAgree(t, conversation{limits: small}, input, random)
		piecesAgree(t, conversation{tunnels: true}, input, random)

		var r Request
		n, err := r.Parse(input)
		if err != nil || n == 0 {
			return
		}
		again, ok := AppendRequestLine(nil, string(r.Method), string(r.Target))
		if !ok {
			t.Fatalf("AppendRequestLine refuses %q %q", r.Method, r.Target)
		}
		if r.Minor == 0 {
			again = append(bytes.TrimSuffix(again, []byte("1\r\n")), "0\r\n"...)
		}
		if again, ok = AppendHeader(again, &r.Header); !ok {
			t.Fatalf("AppendHeader refuses what was read from %q", input)
		}
		want := converse(&conversation{}, input[:n], nil)
		if got := converse(&conversation{}, append(again, "\r\n"...), nil); !slices.Equal(got, want) {
			t.Fatalf("%q is written as %q:\n%s\nwant:\n%s", input[:n], again, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		agreesWithNetHTTP(t, input, &r)
	})
}

// FuzzResponse does the same with responses to GET, HEAD and CONNECT.
func FuzzResponse(f *testing.F) {
	seed(f, false)
	f.Fuzz(func(t *testing.T, input []byte, random uint64) {
		if len(input) > 8192 {
			t.Skip()
		}
		for _, method := range []string{"GET", "HEAD", "CONNECT"} {
			piecesAgree(t, conversation{method: method}, input, random)
			var r Response
			n, err := r.Parse(input, method)
			if err != nil || n == 0 {
				continue
			}
			again := AppendStatusLine(nil, r.Status, string(r.Reason))
			again, ok := AppendHeader(again, &r.Header)
			if !ok {
				t.Fatalf("AppendHeader refuses what was read from %q", input)
			}
			again = append(again, "\r\n"...)
			var second Response
			if m, err := second.Parse(again, method); m != len(again) || err != nil || second.Status != r.Status || second.Header.Len() != r.Header.Len() {
				t.Fatalf("%q is written as %q: %d, %v", input[:n], again, m, err)
			}
			responseAgreesWithNetHTTP(t, input, method, &r)
		}
	})
}

// FuzzBody reads chunked bodies with small and default budgets, takes data past Next at random, and compares with
// what net/http reads.
func FuzzBody(f *testing.F) {
	for _, s := range []string{"5\r\nhello\r\n0\r\n\r\n", "5;a=\"b\\\"\" \r\n", "0\r\nA: b\r\nTE: c\r\n\r\n", "1;a;b=c\r\nx\r\n00\r\n\r\n", "fffffffffffffff\r\n", "1\r\nx\r\n1\r\ny\r\n0\r\n\r\n"} {
		f.Add([]byte(s), uint64(len(s)))
	}
	f.Fuzz(func(t *testing.T, input []byte, random uint64) {
		if len(input) > 4000 {
			t.Skip()
		}
		head := []byte("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
		whole := append(head, input...)
		piecesAgree(t, conversation{}, whole, random)
		piecesAgree(t, conversation{limits: Limits{TrailerBytes: 32, ExtensionBytes: 8, Fields: 3}}, whole, random)
		viaNext, tookNext, err := decode(input, nil)
		viaSkip, tookSkip, errSkip := decode(input, rand.New(rand.NewPCG(random, 1)))
		if !bytes.Equal(viaNext, viaSkip) || tookNext != tookSkip || err != errSkip {
			t.Fatalf("%q: Next gives %q, %d, %v; with Skip %q, %d, %v", input, viaNext, tookNext, err, viaSkip, tookSkip, errSkip)
		}
		if err == nil {
			chunksAgreeWithNetHTTP(t, input, viaNext)
		}
	})
}

// decode reads a chunked body; with skips it takes data directly now and then.
func decode(b []byte, skips *rand.Rand) (data []byte, n int, err error) {
	var d Body
	d.Start(Framing{Delimiter: ByChunks}, Limits{})
	for !d.Done() {
		if k := int(min(d.Remaining(), int64(len(b)-n))); k > 0 && skips != nil && skips.IntN(2) == 0 {
			k = 1 + skips.IntN(k)
			data = append(data, b[n:n+k]...)
			d.Skip(int64(k))
			n += k
			continue
		}
		run, took, err := d.Next(b[n:])
		n += took
		data = append(data, run...)
		if err != nil {
			return data, n, err
		}
		if took == 0 {
			return data, n, d.End()
		}
	}
	return data, n, nil
}

// FuzzHost compares hosts with what net/url and net/netip read.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"", "x", "x:80", "x:", ":80", "[::1]:443", "[1:2:3:4:5:6:7:8]", "[::ffff:1.2.3.4]", "[v1.a]", "%41", "a%zz", "1.2.3.4:65536", "[::1%25lo]", "[1::2::3]", "[::01.2.3.4]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		input := append([]byte("GET / HTTP/1.1\r\nHost:"), s...)
		input = append(input, "\r\n\r\n"...)
		piecesAgree(t, conversation{}, input, uint64(len(s)))
		hostAgreesWithNet(t, s)
	})
}

// FuzzField writes a field and reads it again: it must be refused, or come back as the one line it was.
func FuzzField(f *testing.F) {
	f.Add("Name", "value")
	f.Add("Name", " a\tb ")
	f.Add("Na me", "v")
	f.Add("Name", "a\r\nB: c")
	f.Add("Name", "caf\u00e9")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, name, value string) {
		const before = "HTTP/1.1 200 OK\r\n"
		head, ok := AppendField([]byte(before), name, value)
		if !ok {
			if string(head) != before {
				t.Fatalf("a refused field left %q", head)
			}
			return
		}
		var r Response
		r.Limits.HeadBytes = -1
		n, err := r.Parse(append(head, "\r\n"...), "HEAD")
		if isFraming := err != nil && r.Header.Len() == 1; isFraming {
			return // such as "Content-Length: x": the line is whole, its value is not valid
		}
		if err != nil || n != len(head)+2 || r.Header.Len() != 1 {
			t.Fatalf("%q is read as %d, %v, %d lines", head, n, err, r.Header.Len())
		}
		gotName, gotValue := r.Header.At(0)
		if string(gotName) != name || string(gotValue) != strings.Trim(value, " \t") {
			t.Fatalf("%q: %q comes back as %q: %q", name, value, gotName, gotValue)
		}
		var h shockwave.Header
		h.Add(name, value)
		if all, ok := AppendHeader([]byte(before), &h); !ok || !bytes.Equal(all, head) {
			t.Fatalf("AppendHeader writes %q, AppendField %q", all, head)
		}
	})
}
