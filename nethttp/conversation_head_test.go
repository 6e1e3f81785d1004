package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// headConversations show how a handler's fields and status determine the head, length and trailers of its response.
var headConversations = []conversation{
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
		name: "a flush before the body leaves the type open",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			io.WriteString(w, "<html>")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\n\n<html>\n" + after,
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
		name: "a nil Content-Length sends none",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Length"] = nil
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "HEAD has the fields of GET",
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
		name: "304 has no fields about the body",
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
		name: "a 2xx response to CONNECT has no body",
		handler: func(w http.ResponseWriter, r *http.Request) {
			r.Method = http.MethodGet // what has arrived counts
			w.WriteHeader(http.StatusOK)
			io.WriteString(w, "hello")
		},
		say:  "CONNECT b:80 HTTP/1.1\r\nHost: b:80\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
		ours: "HTTP/1.1 200 OK\n(closes)\n\n\nclosed\n",
	},
	{
		name:    "any other response to CONNECT has one",
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
		ours: "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: text/plain; charset=utf-8\n\nhi\n" + "closed\n",
	},
	{
		name: "lengths that differ",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Length"] = []string{"2", "3"}
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "broken: http: message cannot contain multiple Content-Length headers; got [\"2\" \"3\"]\nclosed\n",
		ours: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "an empty coding",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Transfer-Encoding", "identity")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(closes)\n\nhello\nclosed\n",
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
		ours: "HTTP/1.1 200 OK\n(chunked)\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
	},
	{
		name: "a length of nothing beside chunked",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "0")
			w.Header().Set("Transfer-Encoding", "chunked")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\n\n\n" + after,
	},
	{
		name: "a coding that the handler has applied",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Transfer-Encoding", "gzip")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "broken: too many transfer encodings: [\"gzip\" \"chunked\"]\nbroken: malformed HTTP response \"5\"\n",
	},
	{
		name: "one under a key of the handler's making",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["transfer-encoding"] = []string{"gzip"}
			w.Header().Set("Content-Length", "5")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "broken: unsupported transfer encoding: \"gzip\"\nbroken: malformed HTTP version \"helloHTTP/1.1\"\n",
		ours: "broken: too many transfer encodings: [\"gzip\" \"chunked\"]\nbroken: malformed HTTP response \"5\"\n",
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
		name: "trailers after a body of a known length",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5")
			io.WriteString(w, "hello")
			w.Header().Set(http.TrailerPrefix+"X-Sum", "5")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n" + after,
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
		name: "early hints are sent before the response",
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
		name: "chunks that the handler requests",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Transfer-Encoding", "chunked")
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\n(chunked)\n\nhello\n" + after,
	},
}
