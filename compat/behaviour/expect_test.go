package behaviour

import (
	"fmt"
	"io"
	"net/http"
)

// readOr401 reads the body if the query asks for it; else it refuses.
func readOr401(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery != "read" {
		w.WriteHeader(401)
		return
	}
	b, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%d bytes", len(b))
}

// statusOnly makes a row record only the status of responses, as brief does.
func (r row) statusOnly() row {
	play := r.play
	r.play = func(s *scene) { s.detail = brief; play(s) }
	return r
}

// expecting is a row about the first response to a head with an expectation. The body follows 100, or at once if there
// is no expectation.
func expecting(name, query, expect, framing, body, want string) row {
	return row{name: name, want: want, play: func(s *scene) {
		s.serveFunc(readOr401)
		p := s.dial()
		p.say("POST /?" + query + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + expect + framing + "\r\n")
		if expect == "" {
			p.say(body)
		}
		got := p.response("POST", s.detail)
		s.notef("%s", got)
		if got == "100 Continue" {
			p.say(body)
			p.hear("POST")
		}
		p.hearEnd()
	}}
}

func expectRows() []row {
	const want100, hundred = "Expect: 100-continue\r\n", "100 Continue\n200 OK (closes)"
	rows := []row{
		expecting("100 when the body is read", "read", want100, sized(100), xs(100), hundred),
		expecting("an expectation in another case", "read", "Expect: 100-cOntInUE\r\n", sized(100), xs(100), hundred),
		expecting("100 for a chunked body", "read", want100, chunkedField, "1\r\nx\r\n0\r\n\r\n", hundred),
		expecting("no expectation", "read", "", sized(100), xs(100), "200 OK (closes)"),
		expecting("no 100 when the body is not read", "", want100, sized(100), "", "401 Unauthorized (closes)"),
		expecting("no 100 when there is no body", "read", want100, sized(0), "", "200 OK (closes)"),
		expecting("no body, and it is not read", "", want100, sized(0), "", "401 Unauthorized (closes)"),
		expecting("another expectation", "", "Expect: a-pony\r\n", sized(0), "",
			"417 Expectation Failed (closes)").statusOnly(),
	}
	return append(append(rows, expectBodyRows()...), informationalRows()...)
}

func expectBodyRows() []row {
	ask := func(n int) string { return post("Expect: 100-continue\r\n"+sized(n), "") }
	return []row{
		{name: "an expectation when the body has arrived already", want: "100 Continue",
			say: ask(5) + "hello", handler: echo},
		{name: "HTTP/1.0 gets no 100", want: "200 OK (closes)\n",
			say: "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello", handler: echo},
		{name: "a response without reading ends the connection", want: "401 Unauthorized (closes)\nended",
			play: func(s *scene) {
				s.serveFunc(readOr401)
				p := s.dial()
				p.say(ask(10))
				p.hearStatus("POST")
				p.finish()
				p.hearEnd()
			}},
		{name: "bytes behind a head whose body is not read", want: "one request\n401 Unauthorized (closes)\nended",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) { s.notef("one request"); readOr401(w, r) })
				p := s.dial()
				p.say(ask(10) + "GET /secret HTTP/1.1\r\nHost: a\r\n\r\n")
				p.hearStatus("POST")
				p.hearEnd()
			}},
		{name: "the connection stays after a body that was read", want: "200 OK\n200 OK", play: func(s *scene) {
			s.serve(after(echo))
			p := s.dial()
			p.say(ask(5))
			p.hearStatus("POST")
			p.say("hello")
			p.hearStatus("POST")
			p.say("GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hearStatus("GET")
		}},
		{name: "the handler asks for the body itself", want: "100 Continue\n200 OK", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(100); echo(w, r) })
			p := s.dial()
			p.say(ask(5))
			p.hear("POST")
			p.say("hello")
			p.hear("POST")
		}},
	}
}

// informationalRows are about 1xx responses that handlers send.
func informationalRows() []row {
	const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	return []row{
		{name: "early hints", say: get,
			want: "103 Early Hints\nLink: </a>\n103 Early Hints\nLink: </a>\nLink: </b>\n200 OK",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Add("Link", "</a>")
				w.WriteHeader(103)
				w.Header().Add("Link", "</b>")
				w.WriteHeader(103)
				io.WriteString(w, "stuff")
			}},
		{name: "processing", say: get, want: "102 Processing\n200 OK",
			handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(102); io.WriteString(w, "stuff") }},
		{name: "early hints, then a status", say: get, want: "103 Early Hints\n404 Not Found",
			handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); w.WriteHeader(404) }},
		{name: "early hints without fields", say: get, want: "103 Early Hints\n200 OK",
			handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103) }},
		{name: "early hints have no length of the response", say: get, want: "103 Early Hints\nLink: l\n200 OK",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Link", "l")
				w.Header().Set("Content-Length", "2")
				w.WriteHeader(103)
				io.WriteString(w, "ok")
			}},
		{name: "early hints arrive before the response", want: "103 Early Hints\nLink: l\nhints are here\n200 OK",
			play: func(s *scene) {
				here := make(chan bool)
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Link", "l")
					w.WriteHeader(103)
					await(s, here)
				})
				p := s.dial()
				p.say(get)
				p.hear("GET")
				s.notef("hints are here")
				close(here)
				p.hear("GET")
			}},
		{name: "early hints after the status change nothing", say: get, want: "201 Created",
			handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201); w.WriteHeader(103) }},
	}
}
