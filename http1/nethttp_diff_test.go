package http1

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// What net/http accepts and this package refuses is listed in docs/wire/http1.md.
func TestWhatNetHTTPReadsAndWeDoNot(t *testing.T) {
	const post = "POST / HTTP/1.1\r\nHost: x\r\n"
	for name, input := range map[string]string{
		"bare line feed":               "GET / HTTP/1.1\nHost: x\n\n",
		"folded line":                  "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
		"equal Content-Lengths":        post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
		"chunked in HTTP/1.0":          "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
		"white space after a size":     post + "Transfer-Encoding: chunked\r\n\r\n1 \r\nx\r\n0\r\n\r\n",
		"extension outside grammar":    post + "Transfer-Encoding: chunked\r\n\r\n1;;=\r\nx\r\n0\r\n\r\n",
		"bytes beyond ASCII":           "GET /caf\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n",
		"fragment":                     "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT without a port":       "CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n",
		"another scheme":               "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"asterisk with another method": "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
		"escape in a target's host":    "GET http://caf%c3%a9/ HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			theirs, err := http.ReadRequest(bufio.NewReader(strings.NewReader(input)))
			if err != nil {
				t.Fatalf("net/http: %v", err)
			}
			if _, err := io.ReadAll(theirs.Body); err != nil {
				t.Fatalf("net/http's body: %v", err)
			}
			c := conversation{}
			log := converse(&c, []byte(input), nil)
			if last := log[len(log)-1]; !strings.HasPrefix(last, "400 ") {
				t.Errorf("here: %s", last)
			}
		})
	}
}
