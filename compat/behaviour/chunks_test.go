package behaviour

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

const chunkedField = "Transfer-Encoding: chunked\r\n"

// badChunks is a row about a chunked body that is broken: the handler gets an error, and what follows is no request.
func badChunks(name, body, want string) row {
	return row{name: name, want: want, play: func(s *scene) {
		read := make(chan string, 2)
		s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			read <- fmt.Sprintf("%s: %q, error %v", r.URL.Path, b, err != nil)
			w.WriteHeader(400)
		})
		p := s.dial()
		p.say(post(chunkedField, body))
		p.say("GET /secret HTTP/1.1\r\nHost: a\r\n\r\n")
		p.finish()
		s.notef("%s", await(s, read))
		p.hearStatus("POST")
		p.hearEnd()
	}}
}

// silent is badChunks with a handler that reads nothing by itself: it only does what use does with the body.
func silentBadChunks(name, body string, use func(io.ReadCloser)) row {
	return row{name: name, want: "one request", play: func(s *scene) {
		s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/secret" {
				s.notef("a request in a body")
			}
			use(r.Body)
		})
		p := s.dial()
		p.say(post(chunkedField+"Trailer: T\r\n", body))
		p.say("GET /secret HTTP/1.1\r\nHost: a\r\n\r\n")
		p.response("POST", brief)
		p.hearEnd()
		s.notef("one request")
	}}
}

func chunkRows() []row {
	const notKnown = "501 Not Implemented (closes)\nended"
	const failed = "error true\n400 Bad Request (closes)\nended"
	nothing, closing := func(io.ReadCloser) {}, func(b io.ReadCloser) { b.Close() }
	reading := func(b io.ReadCloser) { io.Copy(io.Discard, b) }
	const noSize, noTrailer = "hax\r\n", "3\r\nabc\r\n0\r\nI'm no trailer\r\n"
	return append(trailersInRows(),
		row{name: "a chunked body", say: post(chunkedField, "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"), handler: echo,
			want: "hello world\\\", no error, length -1"},
		row{name: "an empty chunked body", say: post(chunkedField, "0\r\n\r\n"), handler: echo,
			want: "no error, length -1"},
		row{name: "sizes in both cases",
			say: post(chunkedField, "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"), handler: echo,
			want: "01234567890123456789"},
		row{name: "sizes with leading zeros", say: post(chunkedField, "0005\r\nhello\r\n000\r\n\r\n"),
			handler: echo, want: "hello"},
		row{name: "extensions of chunks", say: post(chunkedField, "5;a=b;c=\"d\"\r\nhello\r\n0;e\r\n\r\n"),
			handler: echo, want: "hello"},
		row{name: "a large chunk", say: post(chunkedField, "30d40\r\n"+xs(200_000)+"\r\n0\r\n\r\n"),
			handler: echo, want: "200000 bytes"},
		row{name: "many small chunks", say: post(chunkedField, strings.Repeat("2\r\nab\r\n", 1000)+"0\r\n\r\n"),
			handler: echo,
			want:    "2000 bytes"},
		row{name: "a coding in another case", say: post("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n"),
			handler: echo, want: "length -1"},
		row{name: "20 KiB of chunks left", say: post(chunkedField, "5000\r\n"+xs(20<<10)+"\r\n0\r\n\r\n"),
			want:    "after",
			handler: func(w http.ResponseWriter, r *http.Request) {}},
		row{name: "20 KiB of chunks left and closed",
			say: post(chunkedField, "5000\r\n"+xs(20<<10)+"\r\n0\r\n\r\n"), want: "after",
			handler: func(w http.ResponseWriter, r *http.Request) { r.Body.Close() }},
		row{name: "1 MiB of chunks left", want: "200 OK (closes)\nended", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
			p := s.dial()
			go p.say(post(chunkedField, "100000\r\n"+xs(1<<20)+"\r\n0\r\n\r\n"))
			p.hearStatus("POST")
			p.hearEnd()
		}},
		badChunks("a size that is no number", "x\r\n", failed),
		badChunks("a size that is empty", "\r\n", failed),
		badChunks("a size beyond 64 bits", "11111111111111111\r\nabc", failed),
		badChunks("a size with a sign", "+5\r\nhello\r\n0\r\n\r\n", failed),
		badChunks("a size with 0x", "0x5\r\nhello\r\n0\r\n\r\n", failed),
		badChunks("a line end without CR behind a size", "1\na\r\n0\r\n\r\n", failed),
		badChunks("a line end without CR behind the last chunk, and more", "1\r\na\r\n0\r\n\n", "error false").
			strict("lines end with CR and LF"),
		row{name: "a line end without CR behind the last chunk", want: "error: true", play: func(s *scene) {
			read := make(chan error, 1)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { _, err := io.ReadAll(r.Body); read <- err })
			p := s.dial()
			p.say(post(chunkedField, "1\r\na\r\n0\r\n\n"))
			p.finish()
			s.notef("error: %v", await(s, read) != nil)
		}},
		badChunks("no line end behind a chunk", "1\r\nabc\r\n0\r\n\r\n", failed),
		badChunks("extensions without end", "1;"+strings.Repeat("x", 20_000)+"\r\na\r\n0\r\n\r\n", failed),
		silentBadChunks("a bad size that nobody reads", noSize, nothing),
		silentBadChunks("a bad size behind Close", noSize, closing),
		silentBadChunks("a bad size that is read", noSize, reading),
		silentBadChunks("a bad trailer that nobody reads", noTrailer, nothing),
		silentBadChunks("a bad trailer behind Close", noTrailer, closing),
		silentBadChunks("a bad trailer that is read", noTrailer, reading),
		row{name: "a cut chunk, and a handler that sends nothing", want: "200 OK (closes)",
			ours:    "400 Bad Request (closes)",
			differs: "a body that fails gets 400 if the handler sends nothing",
			say:     post(chunkedField, "x\r\n"), handler: func(w http.ResponseWriter,
				r *http.Request) {
				io.ReadAll(r.Body)
			}},
		verdict("another coding", post("Transfer-Encoding: gzip\r\n", ""), notKnown),
		verdict("a coding nobody knows", post("Transfer-Encoding: fugazi\r\n", ""), notKnown),
		verdict("a coding in quotes", post("Transfer-Encoding: \" chunked\"\r\n", ""), notKnown),
		verdict("codings in a list", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), notKnown),
		verdict("identity", post("Transfer-Encoding: identity\r\n", ""), notKnown),
		verdict("chunked twice", post(chunkedField+chunkedField, "0\r\n\r\n"),
			notKnown),
		verdict("an empty coding", post("Transfer-Encoding:\r\n", ""), notKnown),
		verdict("chunked beside a length", post(chunkedField+"Content-Length: 5\r\n", "0\r\n\r\n"),
			taken).strict("a message with both is an attack (RFC 9112 §6.1)"),
		verdict("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			"200 OK (closes)\nended").strict("HTTP/1.0 knows no chunks (RFC 9112 §6.1)"),
	)
}

// trailersInRows are about trailers that clients send.
func trailersInRows() []row {
	trailers := func(w http.ResponseWriter, r *http.Request) {
		early := fmt.Sprintf("%q", r.Trailer)
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s, then %q", early, r.Trailer)
	}
	announced := func(name string) string { return post(chunkedField+"Trailer: "+name+"\r\n", "1\r\na\r\n0\r\n") }
	return []row{
		{name: "trailers are there after the body", say: announced("A, b") + "A: 1\r\nB: 2\r\n\r\n",
			handler: trailers,
			want:    "\\\"A\\\":[]"},
		{name: "a trailer that was not announced", say: post(chunkedField, "0\r\nA: 1\r\n\r\n"),
			handler: trailers, want: "map["},
		{name: "a trailer that was announced and does not come", say: announced("A") + "\r\n",
			handler: trailers, want: "A"},
		{name: "the Trailer field is taken out", say: announced("A") + "A: 1\r\n\r\n", want: "map[]",
			handler: func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // over HTTP/2 trailers after a response cost net/http's connection
				fmt.Fprint(w, r.Header)
			}},
		{name: "a trailer of framing", want: refused,
			play: func(s *scene) {
				s.serve(after(trailers))
				judgeWords(s, announced("Content-Length")+"\r\n")
			}},
		{name: "a trailer of routing", say: announced("Host") + "Host: b\r\n\r\n", handler: trailers, want: "Host",
			ours: "map[]", differs: "fields that must not be trailers are left out (RFC 9110 §6.5.1)"},
	}
}
