package behaviour

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// hostField is a verdict on Host lines after a request line.
func hostField(name, proto, lines, want string) row {
	return verdict(name, "GET / "+proto+"\r\n"+lines+"\r\n", want)
}

func targetRows() []row { return append(append(hostRows(), versionRows()...), formsOfTargets()...) }

func hostRows() []row {
	const v1 = "HTTP/1.1"
	return []row{
		hostField("HTTP/1.1 without Host", v1, "", refused),
		hostField("an empty Host", v1, "Host: \r\n", taken),
		hostField("Host with an IPv4 address", v1, "Host: 1.2.3.4\r\n", taken),
		hostField("Host with a name", v1, "Host: foo.com\r\n", taken),
		hostField("Host with an underscore", v1, "Host: foo-bar_baz.com\r\n", taken),
		hostField("Host with a port", v1, "Host: foo.com:80\r\n", taken),
		hostField("Host with a bare IPv6 address", v1, "Host: ::1\r\n",
			taken).strict("an IPv6 address stands in brackets (RFC 3986 §3.2.2)"),
		hostField("Host with an IPv6 address", v1, "Host: [::1]\r\n", taken),
		hostField("Host with an IPv6 address and a port", v1, "Host: [::1]:80\r\n", taken),
		hostField("Host with a zone", v1, "Host: [::1%25en0]:80\r\n",
			taken).strict("zones mean nothing to another machine"),
		hostField("Host with a control byte", v1, "Host: \x06\r\n", refused),
		hostField("Host with a byte beyond ASCII", v1, "Host: \xff\r\n", refused),
		hostField("Host with an opening brace", v1, "Host: {\r\n", refused),
		hostField("Host with a closing brace", v1, "Host: }\r\n", refused),
		hostField("Host twice", v1, "Host: first\r\nHost: second\r\n", refused),
		hostField("HTTP/1.0 without Host", "HTTP/1.0", "", "200 OK (closes)\nended"),
		hostField("HTTP/1.0 with Host twice", "HTTP/1.0", "Host: first\r\nHost: second\r\n", refused),
		hostField("HTTP/1.0 with a byte beyond ASCII in Host", "HTTP/1.0", "Host: \xff\r\n", refused),
		tell("the host of the field", "GET / HTTP/1.1\r\nHost: Foo.com:80\r\n\r\n", "Foo.com:80", hostSeen),
		tell("the host of an absolute target wins", "GET http://b.test/x HTTP/1.1\r\nHost: a\r\n\r\n", "b.test",
			hostSeen),
		tell("no host at all", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", `| "\"\"`, hostSeen),
	}
}

func hostSeen(r *http.Request) string { return fmt.Sprintf("%q %q", r.Host, r.URL.Host) }

func versionRows() []row {
	const tooNew = "505 HTTP Version Not Supported (closes)\nended"
	proto := func(r *http.Request) string { return fmt.Sprint(r.Proto, " ", r.ProtoMajor, " ", r.ProtoMinor) }
	return []row{
		hostField("HTTP/0.9", "HTTP/0.9", "", tooNew),
		hostField("HTTP/2.0", "HTTP/2.0", "Host: a\r\n", tooNew),
		hostField("HTTP/3.0", "HTTP/3.0", "Host: a\r\n", tooNew),
		hostField("HTTP/1.2", "HTTP/1.2", "Host: a\r\n", taken),
		hostField("a version in small letters", "http/1.1", "Host: a\r\n", refused),
		hostField("a version with two digits", "HTTP/1.10", "Host: a\r\n", refused),
		hostField("a version without a minor number", "HTTP/1", "Host: a\r\n", refused),
		hostField("a version with a sign", "HTTP/1.-1", "Host: a\r\n", refused),
		verdict("the HTTP/2 preface with another target", "PRI / HTTP/2.0\r\n\r\n", tooNew),
		tell("the version of HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 1 1", proto),
		tell("the version of HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.0 1 0", proto),
		verdict("a method that is no token", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", refused),
		verdict("a method nobody knows", "WHATEVER / HTTP/1.1\r\nHost: a\r\n\r\n", taken),
		tell("a method in small letters stays so", "get / HTTP/1.1\r\nHost: a\r\n\r\n", "get",
			func(r *http.Request) string { return r.Method }),
		{name: "the version of responses to HTTP/1.0", want: "HTTP/1.0 200 OK",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
				p := s.dial()
				p.say("GET / HTTP/1.0\r\n\r\n")
				line, _ := p.in.ReadString('\n')
				s.notef("%s", strings.TrimSpace(line))
			}},
		{name: "the version of responses to HTTP/1.1", want: "HTTP/1.1 200 OK", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {})
			p := s.dial()
			p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			line, _ := p.in.ReadString('\n')
			s.notef("%q", line)
		}},
	}
}

func formsOfTargets() []row {
	seen := func(r *http.Request) string {
		u := r.URL
		return fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s|%v", r.RequestURI, u.Scheme, u.Opaque, u.Host, u.Path, u.RawPath,
			u.RawQuery, u.ForceQuery)
	}
	get := func(target string) string { return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n" }
	return []row{
		tell("a path", get("/a/b"), "/a/b||||/a/b|||false", seen),
		tell("a path and a query", get("/a?b=c&d"), "|b=c&d|", seen),
		tell("a query that is empty", get("/a?"), "|true", seen),
		tell("a path with escapes", get("/a%2Fb/%7e"), "/a%2Fb", seen),
		tell("a path of two slashes", get("//host/path"), "//host/path", seen),
		verdict("a path with a fragment", get("/a#b"), taken).strict("a target has no fragment (RFC 9112 §3.2)"),
		tell("an absolute target", get("http://b.test/p?q"), "http||b.test|/p", seen),
		tell("an absolute target without a path", get("http://b.test"), "http||b.test|", seen),
		tell("the tunnel's target", "CONNECT b.test:443 HTTP/1.1\r\nHost: b.test:443\r\nConnection: close\r\n\r\n",
			"b.test:443", func(r *http.Request) string {
				return r.RequestURI + " " + r.Host + " " + r.URL.Host
			}).refusing(),
		verdict("a path with a bad escape", get("/%zz"), refused),
		verdict("a relative path", get("a/b"), refused),
		verdict("two slashes and a bracket", get("//["), taken),
		verdict("an absolute target with a bad port", get("http://b.test:x/"), refused),
		verdict("an absolute target with an escape in its host", get("http://b%41.test/"), refused),
		verdict("a target with a control byte", get("/\x01"), refused),
		verdict("a target with DEL", get("/\x7f"), refused),
		{name: "a target beyond ASCII", want: taken, ours: "400 Bad Request (closes)",
			differs: "bytes beyond ASCII in a target must be escaped (RFC 3986 §2.1)",
			play: func(s *scene) {
				s.serve(after(func(w http.ResponseWriter, r *http.Request) {}))
				judgeWords(s, get("/é"))
			}},
		verdict("CONNECT without Host", "CONNECT b.test:443 HTTP/1.1\r\n\r\n",
			"200 OK").strict("HTTP/1.1 has a Host, CONNECT as well (RFC 9112 §3.2)"),
		{name: "a tunnel to a path, as net/rpc asks for it", want: "/_goRPC_",
			say: "CONNECT /_goRPC_ HTTP/1.0\n\n",
			handler: func(w http.ResponseWriter,
				r *http.Request) {
				http.Error(w, r.URL.Path, http.StatusForbidden)
			}},
		tell("OPTIONS with a path reaches the handler", "OPTIONS /a HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS /a",
			func(r *http.Request) string { return r.Method + " " + r.RequestURI }),
		{name: "OPTIONS * does not reach the handler", want: "200 OK\nContent-Length: 0\n200 OK",
			say:     "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "reached") }},
		{name: "OPTIONS * of HTTP/1.0", want: "200 OK (closes)", say: "OPTIONS * HTTP/1.0\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "reached") }},
		{name: "OPTIONS * reaches a handler that wants it", want: "OPTIONS * *", play: func(s *scene) {
			s.start(&http.Server{DisableGeneralOptionsHandler: true, Handler: http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprint(w, r.Method, " ", r.RequestURI, " ", r.URL.Path)
				})})
			p := s.dial()
			p.say("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hear("OPTIONS")
		}},
		verdict("another method with *", get("*"), taken).strict("* is for OPTIONS (RFC 9112 §3.2.4)"),
		tell("the client's address", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "127.0.0.1:", func(r *http.Request) string {
			host, _, _ := strings.Cut(r.RemoteAddr, ":")
			return host + ":"
		}),
	}
}

// refusing makes the handler of a told row respond with 403: a response to CONNECT that is not 2xx has a body.
func (r row) refusing() row {
	h := r.handler
	r.handler = func(w http.ResponseWriter, q *http.Request) { w.WriteHeader(403); h(w, q) }
	return r
}
