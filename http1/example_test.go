package http1_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// The slices that Parse returns point into the bytes that it was given.
func ExampleRequest_Parse() {
	b := []byte("GET /search?q=gopher HTTP/1.1\r\nHost: example.org\r\nAccept: text/html\r\n\r\n")
	var r http1.Request
	n, err := r.Parse(b)
	fmt.Println(n == len(b), err)
	fmt.Printf("%s %s ? %s on %s\n", r.Method, r.Path, r.Query, r.Host)
	fmt.Printf("%s, keep-alive %v\n", r.Header.Get("accept"), r.KeepAlive)
	// Output:
	// true <nil>
	// GET /search ? q=gopher on example.org
	// text/html, keep-alive true
}

// Parse takes no bytes of an incomplete head. Call it again when more bytes have arrived.
func ExampleRequest_Parse_inParts() {
	var r http1.Request
	var b []byte
	for _, part := range []string{"GET / HT", "TP/1.1\r\nHost: exam", "ple.org\r\n\r\n"} {
		b = append(b, part...)
		n, err := r.Parse(b)
		fmt.Println(n, err)
	}
	// Output:
	// 0 <nil>
	// 0 <nil>
	// 37 <nil>
}

// An error holds the status that a server responds with, the broken rule, and the side that broke it.
func ExampleError() {
	var r http1.Request
	_, err := r.Parse([]byte("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"))

	var broken *http1.Error
	if errors.As(err, &broken) {
		fmt.Println(broken.Status, broken.Blame(), broken.Reference())
	}
	// Output: 400 peer RFC 9112 §6.1
}

// The method of the request decides whether there can be a body.
func ExampleResponse_Parse() {
	head := []byte("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")
	for _, method := range []string{"GET", "HEAD"} {
		var r http1.Response
		if _, err := r.Parse(head, method); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(method, r.Status, r.Framing.Delimiter == http1.ByLength, r.Framing.Length)
	}
	// Output:
	// GET 200 true 12
	// HEAD 200 false 0
}

// A Body removes the framing. The slices of data are parts of the input.
func ExampleBody() {
	input := []byte("5\r\nhello\r\n7\r\n, world\r\n0\r\nX-Sum: 42\r\n\r\n")
	var body http1.Body
	body.Start(http1.Framing{Delimiter: http1.ByChunks}, http1.Limits{})

	var text strings.Builder
	for !body.Done() {
		data, n, err := body.Next(input)
		if err != nil || n == 0 {
			fmt.Println("broken, or more is needed:", err)
			return
		}
		text.Write(data)
		input = input[n:]
	}
	fmt.Printf("%s; X-Sum: %s\n", text.String(), body.Trailer().Get("X-Sum"))
	// Output: hello, world; X-Sum: 42
}

// This is how a client writes a request with a chunked body.
func ExampleAppendRequestLine() {
	b, ok := http1.AppendRequestLine(nil, "POST", "/notes")
	b, ok2 := http1.AppendField(b, "Host", "example.org")
	b, ok3 := http1.AppendField(b, "Transfer-Encoding", "chunked")
	b = append(b, "\r\n"...)
	b = append(http1.AppendChunkSize(b, 5), "hello\r\n"...)
	b = http1.AppendLastChunk(b, nil)
	fmt.Println(ok && ok2 && ok3)
	fmt.Printf("%q\n", b)
	// Output:
	// true
	// "POST /notes HTTP/1.1\r\nHost: example.org\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
}

// A value that would split a message is refused, and nothing is appended.
func ExampleAppendField() {
	b, ok := http1.AppendField(nil, "Location", "/next\r\nSet-Cookie: stolen")
	fmt.Printf("%q %v\n", b, ok)
	// Output: "" false
}

// This is how a server writes a response.
func ExampleAppendHeader() {
	var h shockwave.Header
	h.Add("Content-Type", "text/plain")
	h.Add("Content-Length", "2")
	b, _ := http1.AppendHeader(http1.AppendStatusLine(nil, 200, ""), &h)
	b = append(b, "\r\nok"...)
	fmt.Printf("%q\n", b)
	// Output: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
}

// Empty elements are skipped.
func ExampleElements() {
	for e := range http1.Elements("gzip , br,, identity") {
		fmt.Println(e)
	}
	// Output:
	// gzip
	// br
	// identity
}

// Several lines of a field form one list.
func ExampleHasToken() {
	fmt.Println(http1.HasToken("upgrade", "keep-alive", "Upgrade, TE"))
	// Output: true
}
