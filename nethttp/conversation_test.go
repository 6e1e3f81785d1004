package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// conversation is an exchange on one connection, with net/http's server and with ours. The client sends say, and after it
// a request for /after, which is served if the connection is still usable.
type conversation struct {
	name    string
	handler http.HandlerFunc
	say     string
	want    string
	ours    string // the beginning of our response if it differs: docs/nethttp-differences.md says why
}

var conversations = []conversation{
	{
		name:    "nothing written is 200 without a body",
		handler: func(w http.ResponseWriter, r *http.Request) {},
		say:     "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want:    "HTTP/1.1 200 OK\nContent-Length: 0\n\n\n" + after,
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
		name: "a nil Content-Type sends none",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = nil
			io.WriteString(w, "<html>")
		},
		say:  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		want: "HTTP/1.1 200 OK\nContent-Length: 6\n\n<html>\n" + after,
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
		name:    "a body that nobody reads",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") },
		say:     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
		want:    "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: text/plain; charset=utf-8\n\nok\n" + after,
	},
	{
		name: "a closed body returns an error",
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
		name:    "HTTP/1.0 is kept alive on request",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) },
		say:     "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		want:    "HTTP/1.0 200 OK\nContent-Length: 8\nContent-Type: text/plain; charset=utf-8\n\nHTTP/1.0\n" + after,
	},
	{
		name: "HTTP/1.0 cannot have a long body and stay",
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			io.WriteString(w, "hello")
		},
		say:  "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		want: "HTTP/1.0 200 OK\n(closes)\n\nhello\nclosed\n",
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
		name:    "a tunnel to a path, as net/rpc requests it",
		handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) },
		say:     "CONNECT /_goRPC_ HTTP/1.0\n\n",
		want:    "HTTP/1.0 200 OK\n(closes)\nContent-Length: 8\nContent-Type: text/plain; charset=utf-8\n\n/_goRPC_\nclosed\n",
		ours:    "HTTP/1.0 200 OK\n(closes)\n\n\nclosed\n", // RFC 9110 §9.3.6: no body
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
		name: "a body that is cut short, and a handler that sends nothing",
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

// after is the response to the request that closes each conversation.
const after = "HTTP/1.1 200 OK\n(closes)\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nafter\n"

func TestConversations(t *testing.T) {
	for _, c := range slices.Concat(conversations, headConversations) {
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
				defer p.Close() // a server that lingers after its last response need not wait any longer
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
