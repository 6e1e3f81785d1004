package behaviour

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// verdict is a row about whether a message is taken: the status, and whether the connection lives on.
func verdict(name, say, want string) row {
	return row{name: name, want: want, play: func(s *scene) {
		s.serve(after(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
		judgeWords(s, say)
	}}
}

// strict makes a verdict one in which ours refuses what net/http accepts.
func (r row) strict(why string) row {
	r.ours, r.differs = "400 Bad Request (closes)", why
	return r
}

// judgeWords sends text and a request after it, and records the response to each.
func judgeWords(s *scene, text string) {
	p := s.dial()
	p.say(text)
	p.say("GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	p.hearStatus(methods(text)[0])
	p.hearStatus("GET")
}

// field is a verdict on a request with one more field line.
func field(name, line, want string) row {
	return verdict(name, "GET / HTTP/1.1\r\nHost: a\r\n"+line+"\r\n\r\n", want)
}

// What verdicts want.
const (
	taken   = "200 OK\n200 OK (closes)"
	refused = "400 Bad Request (closes)\nended"
)

// tell is a row about the request as the handler sees it: it responds with what see returns.
func tell(name, say, want string, see func(*http.Request) string) row {
	return row{name: name, say: say, want: want, handler: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, see(r))
	}}
}

// lenient makes a verdict one in which ours accepts what net/http refuses.
func (r row) lenient(why string) row {
	r.ours, r.differs = taken, why
	return r
}

func headRows() []row {
	const blank = "empty lines before a request are skipped (RFC 9112 §2.2)"
	return append(headFieldRows(),
		verdict("nothing but Host", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", taken),
		verdict("empty lines before a first request", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
			refused).lenient(blank),
		verdict("empty lines behind a GET", "GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n\r\n",
			"200 OK\n400 Bad Request (closes)").lenient(blank),
		verdict("empty lines behind a body",
			"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nABC\r\n\r\n", taken),
		verdict("lines that end without CR", "GET / HTTP/1.1\nHost: a\n\n", taken).strict("lines end with CR and LF"),
		verdict("no words", "BOGUS REQUEST\r\n\r\n", refused),
		verdict("two words", "GET /\r\nHost: a\r\n\r\n", refused),
		verdict("four words", "GET / two HTTP/1.1\r\nHost: a\r\n\r\n", refused),
		verdict("a space before the method", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", refused),
		verdict("a first field that begins with a space", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", refused),
		row{name: "a head that is cut off", want: "400 Bad Request (closes)",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) { s.notef("a request") })
				p := s.dial()
				p.say("GET / HTTP/1.1\r\nHost: a\r\nHalf: a li")
				p.finish()
				p.hearStatus("GET")
			}},
		row{name: "a head that arrives byte by byte", want: "GET /path a b", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.Method, " ", r.URL, " ", r.Host, " ", r.Header.Get("X"))
			})
			p := s.dial()
			for _, b := range []byte("GET /path HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n") {
				p.say(string(b))
			}
			p.hear("GET")
		}},
		row{name: "two heads in one packet", want: "/one\"\n200 OK\nContent-Length: 4", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL) })
			p := s.dial()
			p.say("GET /one HTTP/1.1\r\nHost: a\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hear("GET")
			p.hear("GET")
		}},
		row{name: "what a refusal says", want: "400 Bad Request: missing required Host header",
			play: func(s *scene) {
				s.serve(http.NotFoundHandler())
				p := s.dial()
				p.say("GET / HTTP/1.1\r\n\r\n")
				p.hear("GET")
			}},
	)
}

func headFieldRows() []row {
	fields := func(r *http.Request) string { return fmt.Sprintf("%q", r.Header) }
	const get = "GET / HTTP/1.1\r\nHost: a\r\n"
	return []row{
		field("a field", "Foo: bar", taken),
		field("a value with spaces", "Foo: a  space", taken),
		field("a value with a tab", "Foo: a\ttab", taken),
		field("a value with bytes beyond ASCII", "Foo: a\xffb", taken),
		field("an empty value", "Foo:", taken),
		field("a value with NUL", "Foo: a\x00b", refused),
		field("a value with DEL", "Foo: a\x7fb", refused),
		field("a name with a space", "A space: foo", refused),
		field("a name with NUL", "fo\x00o: bar", refused),
		field("a name beyond ASCII", "fo\xffo: bar", refused),
		field("a space before the colon", "Foo : bar", refused),
		field("a tab before the colon", "Foo\t: bar", refused),
		field("an empty name", ": bar", refused),
		field("a line without a colon", "Foo bar", refused),
		{name: "a folded line", want: "X-Folded", ours: "400 Bad Request",
			differs: "line folding is refused (RFC 9112 §5.2 allows both)",
			say:     get + "X-Folded: one\r\n two\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%q", r.Header) }},
		tell("names become canonical", get+"x-lower-CASE: 1\r\nX-UPPER: 2\r\n\r\n", "X-Lower-Case", fields),
		tell("values are trimmed", get+"X: \t v \t\r\n\r\n", "v", fields),
		tell("the same name twice", get+"X: 1\r\nY: 2\r\nx: 3\r\n\r\n", `\"1\" \"3\"`, fields),
		tell("Host is not among the fields", get+"\r\n", "map[] a", func(r *http.Request) string {
			return fmt.Sprint(r.Header, " ", r.Host)
		}),
		tell("Expect stays among the fields", get+"Expect: 100-continue\r\n\r\n", "100-continue", fields),
		tell("Connection stays among the fields", get+"Connection: x, y\r\n\r\n", "x, y", fields),
		tell("Pragma alone also sets Cache-Control", get+"Pragma: no-cache\r\n\r\n", "Cache-Control", fields),
		tell("Pragma beside Cache-Control", get+"Pragma: no-cache\r\nCache-Control: x\r\n\r\n", "x", fields),
		tell("Transfer-Encoding is taken out",
			"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			"map[] [chunked] -1", func(r *http.Request) string {
				return fmt.Sprint(r.Header, " ", r.TransferEncoding, " ", r.ContentLength)
			}),
		tell("Content-Length stays", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab",
			"map[Content-Length:[2]] 2", func(r *http.Request) string {
				return fmt.Sprint(r.Header, " ", r.ContentLength)
			}),
		tell("User-Agent and Referer", get+"User-Agent: u\r\nReferer: r\r\n\r\n", "u r",
			func(r *http.Request) string {
				return r.UserAgent() + " " + r.Referer()
			}),
		tell("basic authentication", get+"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n",
			"Aladdin open sesame true", func(r *http.Request) string {
				user, password, ok := r.BasicAuth()
				return fmt.Sprint(user, " ", password, " ", ok)
			}),
		tell("basic authentication in another case", get+"Authorization: bAsIc QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n",
			"Aladdin true", func(r *http.Request) string {
				user, _, ok := r.BasicAuth()
				return fmt.Sprint(user, " ", ok)
			}),
		tell("basic authentication that is none", get+"Authorization: Basic !\r\n\r\n",
			"false", func(r *http.Request) string {
				_, _, ok := r.BasicAuth()
				return fmt.Sprint(ok)
			}),
		tell("many fields", get+strings.Repeat("X: v\r\n", 150)+"\r\n", "150", func(r *http.Request) string {
			return fmt.Sprint(len(r.Header["X"]))
		}),
	}
}
