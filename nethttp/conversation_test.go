package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// conversations are answered by net/http's server and by ours. The client sends say, and behind it, on the same
// connection, a request for /after that is answered if the connection lives on.
var conversations = []struct {
	name    string
	handler http.HandlerFunc
	say     string
	want    string
	ours    string // if we answer otherwise, how that begins: docs/nethttp.md says why
}{
	{
		name:    "nothing written is 200 without a body",
		handler: func(w http.ResponseWriter, r *http.Request) {},
		say:     "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 200 OK\nContent-Length: 0\n\n\n" + after,
	},
	{
		name:    "a short body gets a length and a type",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>hello") },
		say:     "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 200 OK\nContent-Length: 11\nContent-Type: text/html; charset=utf-8\n\n<html>hello\n" + after,
	},
	{
		name: "the type is found over several writes",
		handler: func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<ht")
			w.Write([]byte("ml>"))
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 11\nContent-Type: text/html; charset=utf-8\n\n<html>hello\n" + after,
	},
	{
		name: "a long body is chunked",
		handler: func(w http.ResponseWriter, r *http.Request) {
			for range 50 {
				io.WriteString(w, strings.Repeat("0123456789", 30))
			}
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\n" + strings.Repeat("0123456789", 1500) + "\n" + after,
	},
	{
		name:    "one large write is chunked",
		handler: func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(strings.Repeat("z", 70_000))) },
		say:     "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\n" + strings.Repeat("z", 70_000) + "\n" + after,
	},
	{
		name: "a flush before the body leaves the type open",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			io.WriteString(w, "<html>")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\n\n<html>\n" + after,
	},
	{
		name: "a nil Content-Type sends none",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = nil
			io.WriteString(w, "<html>")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 6\n\n<html>\n" + after,
	},
	{
		name: "a type under a key of the handler's own spelling",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["content-type"] = []string{"a/b"}
			io.WriteString(w, "<html>")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 6\nContent-Type: a/b\nContent-Type: text/html; charset=utf-8\n\n<html>\n" + after,
		ours: "HTTP/1.1 200 OK\nContent-Length: 6\nContent-Type: a/b\n\n<html>\n" + after,
	},
	{
		name: "a coded body keeps its type to itself",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "<html>")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 6\n\n<html>\n" + after,
	},
	{
		name: "fields set after WriteHeader are not sent",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Early", "yes")
			w.WriteHeader(http.StatusTeapot)
			w.Header().Set("X-Late", "no")
			w.Header().Set("X-Early", "no")
			io.WriteString(w, "tea")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 418 I'm a teapot\nContent-Length: 3\nContent-Type: text/plain; charset=utf-8\nX-Early: yes\n\ntea\n" + after,
	},
	{
		name: "line breaks in values become spaces, bad names vanish",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Split", " a\r\nSet-Cookie: b\n ")
			w.Header().Set("X-Latin", "\xe4\n\xf6")
			w.Header()["Bad Name"] = []string{"x"}
			w.Header()["Bad\r\nName"] = []string{"x"}
			w.Header()["X-Two"] = []string{"1", "2"}
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 0\nX-Latin: \xe4 \xf6\nX-Split: a  Set-Cookie: b\nX-Two: 1\nX-Two: 2\n\n\n" + after,
	},
	{
		name: "a declared length is kept to",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5")
			w.Header().Set("Content-Type", "text/x")
			n, err := io.WriteString(w, "hello")
			m, err2 := io.WriteString(w, "!")
			if n != 5 || err != nil || m != 0 || !errors.Is(err2, http.ErrContentLength) {
				panic(fmt.Sprint(n, err, m, err2))
			}
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/x\n\nhello\nclosed\n",
		ours: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/x\n\nhello\n" + after,
	},
	{
		name: "a declared length that is not filled ends the connection",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "9")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 9\nContent-Type: text/plain; charset=utf-8\n\nhello\ncut off\nclosed\n",
	},
	{
		name: "a bad declared length is dropped",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "-7")
			io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "HEAD says what GET would",
		handler: func(w http.ResponseWriter, r *http.Request) {
			n, err := io.WriteString(w, "<html>hello")
			if n != 11 || err != nil {
				panic(fmt.Sprint(n, err))
			}
		},
		say:  "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 11\nContent-Type: text/html; charset=utf-8\n\n\n" + after,
	},
	{
		name: "HEAD with a declared length",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "12345")
			w.Header().Set("Content-Type", "a/b")
		},
		say:  "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 12345\nContent-Type: a/b\n\n\n" + after,
	},
	{
		name: "204 has no body",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			if _, err := io.WriteString(w, "hello"); !errors.Is(err, http.ErrBodyNotAllowed) {
				panic(err)
			}
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 204 No Content\n\n\n" + after,
	},
	{
		name: "205 has no body",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusResetContent)
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 205 Reset Content\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
		ours: "HTTP/1.1 205 Reset Content\nContent-Length: 0\n\n\n" + after,
	},
	{
		name: "304 says nothing of the body",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "10")
			w.Header().Set("Etag", `"e"`)
			w.WriteHeader(http.StatusNotModified)
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 304 Not Modified\nEtag: \"e\"\n\n\n" + after,
	},
	{
		name: "a 2xx answer to CONNECT has no body",
		handler: func(w http.ResponseWriter, r *http.Request) {
			r.Method = http.MethodGet // what came counts
			w.WriteHeader(http.StatusOK)
			io.WriteString(w, "hello")
		},
		say:  "CONNECT b:80 HTTP/1.1\r\nHost: b:80\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
		ours: "HTTP/1.1 200 OK\n(closes)\n\n\nclosed\n",
	},
	{
		name:    "any other answer to CONNECT has one",
		handler: func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) },
		say:     "CONNECT b:80 HTTP/1.1\r\nHost: b:80\r\n\r\n",
		want: "HTTP/1.1 403 Forbidden\nContent-Length: 3\nContent-Type: text/plain; charset=utf-8\n" +
			"X-Content-Type-Options: nosniff\n\nno\n\n" + after,
		ours: "HTTP/1.1 403 Forbidden\n(closes)\nContent-Length: 3\nContent-Type: text/plain; charset=utf-8\n" +
			"X-Content-Type-Options: nosniff\n\nno\n\nclosed\n",
	},
	{
		name: "a length under a key of the handler's own spelling",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["content-length"] = []string{"2"}
			io.WriteString(w, "hi")
			io.WriteString(w, "!")
		},
		say: "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "broken: http: message cannot contain multiple Content-Length headers; got [\"2\" \"3\"]\n" +
			"broken: malformed HTTP version \"hi!HTTP/1.1\"\n",
		ours: "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: text/plain; charset=utf-8\n\nhi\n" + after,
	},
	{
		name: "lengths that differ",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Length"] = []string{"2", "3"}
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "broken: http: message cannot contain multiple Content-Length headers; got [\"2\" \"3\"]\nclosed\n",
		ours: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "a coding that says nothing",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Transfer-Encoding", "identity")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(closes)\n\nhello\nclosed\n",
		ours: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello\n" + after,
	},
	{
		name: "a length with leading zeros",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "0000000000000000000005")
			io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
		},
		say: "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 0000000000000000000005\nContent-Type: text/plain; charset=utf-8\n\nhello\n" +
			after,
		ours: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "a length with a sign",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "+2")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "broken: bad Content-Length \"+2\"\nclosed\n",
		ours: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "a coding that the server does not apply",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["transfer-encoding"] = []string{"gzip"}
			w.Header().Set("Content-Length", "5")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "broken: unsupported transfer encoding: \"gzip\"\nbroken: malformed HTTP version \"helloHTTP/1.1\"\n",
		ours: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello\n" + after,
	},
	{
		name: "the handler closes the connection",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			io.WriteString(w, "bye")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(closes)\nContent-Length: 3\nContent-Type: text/plain; charset=utf-8\n\nbye\nclosed\n",
	},
	{
		name: "trailers that were announced",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			w.Header().Add("Trailer", "x-other")
			io.WriteString(w, "hello")
			w.Header().Set("X-Sum", "5")
			w.Header().Set("X-Other", "o")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\ntrailers:\nX-Other: o\nX-Sum: 5\n" + after,
	},
	{
		name: "trailers that nobody announced",
		handler: func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
			w.Header().Set(http.TrailerPrefix+"X-Sum", "5")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\ntrailers:\nX-Sum: 5\n" + after,
	},
	{
		name: "trailers that must not be are not announced",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "Set-Cookie, bad name, X-Sum")
			w.Header().Add("Trailer", "Vary")
			io.WriteString(w, "hello")
			w.Header().Set("Set-Cookie", "a=b")
			w.Header().Set("Vary", "x")
			w.Header().Set("X-Sum", "5")
		},
		say: "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\n" +
			"trailers:\nSet-Cookie: a=b\nVary: x\nX-Sum: 5\n" + after,
		ours: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\ntrailers:\nX-Sum: 5\n" + after,
	},
	{
		name: "none but trailers that must not be",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "Set-Cookie")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\ntrailers:\n" + after,
		ours: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "early hints go before the answer",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "</a.css>")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Set("X-Final", "1")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 103 Early Hints\nLink: </a.css>\n\n\nHTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\nLink: </a.css>\nX-Final: 1\n\nhello\n" + after,
	},
	{
		name:    "a second WriteHeader changes nothing",
		handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201); w.WriteHeader(500) },
		say:     "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 201 Created\nContent-Length: 0\n\n\n" + after,
	},
	{
		name:    "OPTIONS of the server as a whole",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "not reached") },
		say:     "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 200 OK\nContent-Length: 0\n\n\n" + after,
	},
	{
		name:    "HTTP/1.0 closes",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) },
		say:     "GET / HTTP/1.0\r\n\r\n",
		want:    "HTTP/1.0 200 OK\n(closes)\nContent-Length: 8\nContent-Type: text/plain; charset=utf-8\n\nHTTP/1.0\nclosed\n",
		ours:    "HTTP/1.1 200 OK\n(closes)\nContent-Length: 8\nContent-Type: text/plain; charset=utf-8\n\nHTTP/1.0\nclosed\n",
	},
	{
		name: "a body that is read",
		handler: func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %v %d", b, err, r.ContentLength)
		},
		say:  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
		want: "HTTP/1.1 200 OK\nContent-Length: 13\nContent-Type: text/plain; charset=utf-8\n\nhello <nil> 5\n" + after,
	},
	{
		name: "a chunked body with trailers",
		handler: func(w http.ResponseWriter, r *http.Request) {
			_, announced := r.Trailer["X-Sum"]
			b, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %v %d %v %v %v %v", b, err, r.ContentLength, r.TransferEncoding, announced, r.Trailer, r.Header)
		},
		say:  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: x-sum\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 9\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 50\nContent-Type: text/plain; charset=utf-8\n\nhello <nil> -1 [chunked] true map[X-Sum:[9]] map[]\n" + after,
	},
	{
		name:    "a body that nobody reads",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") },
		say:     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
		want:    "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: text/plain; charset=utf-8\n\nok\n" + after,
	},
	{
		name: "a closed body says so",
		handler: func(w http.ResponseWriter, r *http.Request) {
			r.Body.Close()
			_, err := r.Body.Read(make([]byte, 1))
			fmt.Fprint(w, errors.Is(err, http.ErrBodyReadAfterClose))
		},
		say:  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
		want: "HTTP/1.1 200 OK\nContent-Length: 4\nContent-Type: text/plain; charset=utf-8\n\ntrue\n" + after,
	},
	{
		name:    "100 Continue is for bodies that are not there yet",
		handler: func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) },
		say:     "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
		want:    "HTTP/1.1 100 Continue\n\n\nHTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
		ours:    "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name:    "a handler that panics ends the connection",
		handler: func(w http.ResponseWriter, r *http.Request) { panic("oops") },
		say:     "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "closed\n",
	},
	{
		name:    "http.ErrAbortHandler ends the connection",
		handler: func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
		say:     "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "closed\n",
	},
	{
		name: "an invalid status panics",
		handler: func(w http.ResponseWriter, r *http.Request) {
			defer func() { fmt.Fprint(w, recover()) }()
			w.WriteHeader(99)
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 27\nContent-Type: text/plain; charset=utf-8\n\ninvalid WriteHeader code 99\n" + after,
	},
	{
		name:    "HTTP/1.0 stays when it asks to",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) },
		say:     "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		want:    "HTTP/1.0 200 OK\nContent-Length: 8\nContent-Type: text/plain; charset=utf-8\n\nHTTP/1.0\n" + after,
		ours:    "HTTP/1.1 200 OK\nContent-Length: 8\nContent-Type: text/plain; charset=utf-8\n\nHTTP/1.0\n" + after,
	},
	{
		name: "HTTP/1.0 cannot have a long body and stay",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		want: "HTTP/1.0 200 OK\n(closes)\n\nhello\nclosed\n",
		ours: "HTTP/1.1 200 OK\n(closes)\n\nhello\nclosed\n",
	},
	{
		name:    "a Pragma of old is a Cache-Control",
		handler: func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header) },
		say:     "GET / HTTP/1.1\r\nHost: a\r\npragma: no-cache\r\n\r\n",
		want:    "HTTP/1.1 200 OK\nContent-Length: 47\nContent-Type: text/plain; charset=utf-8\n\nmap[Cache-Control:[no-cache] Pragma:[no-cache]]\n" + after,
	},
	{
		name:    "no URL, no handler",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "not reached") },
		say:     "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 400 Bad Request\n(closes)\nContent-Type: text/plain; charset=utf-8\n\n400 Bad Request\nclosed\n",
		ours:    "HTTP/1.1 400 Bad Request\n(closes)\n",
	},
	{
		name:    "a target beyond ASCII",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) },
		say:     "GET /é HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 200 OK\nContent-Length: 3\nContent-Type: text/plain; charset=utf-8\n\n/é\n" + after,
		ours:    "HTTP/1.1 400 Bad Request\n(closes)\n",
	},
	{
		name:    "a tunnel to a path, as net/rpc asks for it",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) },
		say:     "CONNECT /_goRPC_ HTTP/1.0\n\n",
		want:    "HTTP/1.0 200 OK\n(closes)\nContent-Length: 8\nContent-Type: text/plain; charset=utf-8\n\n/_goRPC_\nclosed\n",
		ours:    "HTTP/1.1 400 Bad Request\n(closes)\n",
	},
	{
		name: "a tunnel to a host that is no URL's",
		handler: func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Host+" "+r.URL.Host, http.StatusForbidden)
		},
		say:  "CONNECT %41:80 HTTP/1.1\r\nHost: %41:80\r\n\r\n",
		want: "HTTP/1.1 400 Bad Request\n(closes)\nContent-Type: text/plain; charset=utf-8\n\n400 Bad Request\nclosed\n",
		ours: "HTTP/1.1 403 Forbidden\n(closes)\nContent-Length: 14\nContent-Type: text/plain; charset=utf-8\n" +
			"X-Content-Type-Options: nosniff\n\n%41:80 %41:80\n\nclosed\n",
	},
	{
		name: "chunks that the handler asks for",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Transfer-Encoding", "chunked")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\n\nhello\n" + after,
	},
	{
		name: "a body that is cut short, and a handler that says nothing",
		handler: func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err == nil {
				panic("no error")
			}
		},
		say:  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
		want: "HTTP/1.1 200 OK\n(closes)\nContent-Length: 0\n\n\nclosed\n",
		ours: "HTTP/1.1 400 Bad Request\n(closes)\n",
	},
}

// after is the answer to the request that closes each conversation.
const after = "HTTP/1.1 200 OK\n(closes)\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nafter\n"

func TestConversations(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			h := func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/after" {
					io.WriteString(w, "after")
					return
				}
				c.handler(w, r)
			}
			onBoth(t, http.HandlerFunc(h), func(t *testing.T, addr string) {
				want := c.want
				if c.ours != "" && strings.HasSuffix(t.Name(), "/ours") {
					want = c.ours
				}
				p := dial(t, addr)
				defer p.Close() // a server that lingers after its last answer need not wait any longer
				p.say(c.say)
				p.say("GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
				method, _, _ := strings.Cut(c.say, " ")
				var got strings.Builder
				for range strings.Count(want, "HTTP/1.1 1") + 1 {
					got.WriteString(p.answer(method))
				}
				if got.String() != "closed\n" {
					got.WriteString(p.answer("GET"))
				}
				text := got.String()
				if strings.HasSuffix(t.Name(), "/std") && !strings.Contains(want, "cut off") {
					// net/http may reset a connection that has another request, where a body ends with it.
					text = strings.ReplaceAll(text, "cut off\n", "")
				}
				if !strings.HasPrefix(text, want) || c.ours == "" && text != want {
					t.Errorf("got:\n%s\nwant:\n%s", text, want)
				}
			})
		})
	}
}
