package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// site responds by path. Its responses show each way in which a handler can make one.
func site(w *server.ResponseWriter, r *server.Request) {
	switch string(r.Path()) {
	case "/text":
		w.WriteText("hello")
	case "/json":
		w.WriteJSON([]byte(`{"a":1}`))
	case "/write":
		w.Header().Set("X-A", "1")
		w.Write([]byte("he"))
		w.WriteString("llo")
	case "/empty":
	case "/echo":
		if body, err := r.Body(); err == nil {
			w.WriteBody("text/plain", body)
		}
	case "/big":
		w.Write([]byte(strings.Repeat("x", 5000)))
	case "/biglength":
		w.Header().Set("Content-Length", "5000")
		w.Write([]byte(strings.Repeat("x", 5000)))
	case "/length":
		w.Header().Set("Content-Length", "77")
		w.SetContentLength(5000)
		w.Write([]byte(strings.Repeat("x", 5000)))
	case "/unsaid":
		w.SetContentLength(77)
		w.SetContentLength(-1)
		w.WriteString("four")
	case "/flush":
		w.Write([]byte("one"))
		w.Flush()
		w.Write([]byte("two"))
	case "/status":
		status(w, r)
	case "/close":
		w.CloseAfter()
		w.WriteText("bye")
	case "/field":
		name, value, _ := strings.Cut(string(r.Header().Get("X-Field")), "|")
		w.Header().Set(name, strings.ReplaceAll(value, "^", "\r\n"))
		w.WriteString("four")
	case "/trailer":
		w.Header().Set("Trailer", "X-Sum")
		w.WriteString("data")
		w.Trailer().Set("X-Sum", "4")
	case "/undeclared":
		w.WriteString("data")
		w.Trailer().Set("X-Sum", "4")
	default:
		w.Error(404, "no such page")
	}
}

// status responds with the status in the query, and reports the result of writing a body.
func status(w *server.ResponseWriter, r *server.Request) {
	var code int
	if fmt.Sscan(string(r.Query()), &code); code < 200 || code > 999 {
		code = 500
	}
	w.SetStatus(code)
	_, err := w.WriteString("body")
	w.Header().Set("X-Write", fmt.Sprint(err))
}

// get is a GET whose response is the connection's last.
func get(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
}

func head1(path string) string {
	return "HEAD " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
}

// with is a GET that asks /field to set a field.
func with(field string) string {
	return "GET /field HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Field: " + field + "\r\n\r\n"
}

var x5000 = strings.Repeat("x", 5000)

func TestAnswers(t *testing.T) {
	f := handle(t, site)
	text := "Content-Type: text/plain; charset=utf-8"
	for _, c := range []struct{ name, request, answer string }{
		{"a text", get("/text"), lines("HTTP/1.1 200 OK", "Content-Length: 5", "Connection: close", text, "", "hello")},
		{"JSON", get("/json"), lines("HTTP/1.1 200 OK", "Content-Length: 7", "Connection: close", "Content-Type: application/json", "", `{"a":1}`)},
		{"pieces are one body with its length", get("/write"), lines("HTTP/1.1 200 OK", "Content-Length: 5", "Connection: close", "X-A: 1", "", "hello")},
		{"nothing set", get("/empty"), lines("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close", "", "")},
		{"an error", get("/nowhere"), lines("HTTP/1.1 404 Not Found", "Content-Length: 13", "Connection: close", text, "X-Content-Type-Options: nosniff", "", "no such page\n")},
		{"more than is kept back: chunks", get("/big"), lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", "", "1388", x5000, "0", "", "")},
		{"more than is kept back, length known", get("/biglength"), lines("HTTP/1.1 200 OK", "Content-Length: 5000", "Connection: close", "", x5000)},
		{"a length goes before the field", get("/length"), lines("HTTP/1.1 200 OK", "Content-Length: 5000", "Connection: close", "", x5000)},
		{"a length that was removed", get("/unsaid"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"flushed: chunks", get("/flush"), lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", "", "3", "one", "3", "two", "0", "", "")},
		{"trailers", get("/trailer"), lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", "Trailer: X-Sum", "", "4", "data", "0", "X-Sum: 4", "", "")},
		{"trailers that were not declared", get("/undeclared"), lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", "", "4", "data", "0", "X-Sum: 4", "", "")},

		{"HEAD: the length of a body that is not sent", head1("/text"), lines("HTTP/1.1 200 OK", "Content-Length: 5", "Connection: close", text, "", "")},
		{"HEAD: pieces", head1("/write"), lines("HTTP/1.1 200 OK", "Content-Length: 5", "Connection: close", "X-A: 1", "", "")},
		{"HEAD: a long body", head1("/big"), lines("HTTP/1.1 200 OK", "Content-Length: 5000", "Connection: close", "", "")},
		{"HEAD: flushed, so the length is not known", head1("/flush"), lines("HTTP/1.1 200 OK", "Connection: close", "", "")},
		{"HEAD: the handler wrote nothing", head1("/empty"), lines("HTTP/1.1 200 OK", "Connection: close", "", "")},
		{"HEAD: an error", head1("/nowhere"), lines("HTTP/1.1 404 Not Found", "Content-Length: 13", "Connection: close", text, "X-Content-Type-Options: nosniff", "", "")},

		{"204 has neither body nor length", get("/status?204"), lines("HTTP/1.1 204 No Content", "Connection: close", "X-Write: http: request method or response status code does not allow body", "", "")},
		{"304 has no body", get("/status?304"), lines("HTTP/1.1 304 Not Modified", "Connection: close", "X-Write: http: request method or response status code does not allow body", "", "")},
		{"205 has no body, and length 0", get("/status?205"), lines("HTTP/1.1 205 Reset Content", "Content-Length: 0", "Connection: close", "X-Write: http: request method or response status code does not allow body", "", "")},
		{"205 to HTTP/1.0", "GET /status?205 HTTP/1.0\r\n\r\n", lines("HTTP/1.1 205 Reset Content", "Content-Length: 0", "Connection: close", "X-Write: http: request method or response status code does not allow body", "", "")},
		{"201", get("/status?201"), lines("HTTP/1.1 201 Created", "Content-Length: 4", "Connection: close", "X-Write: <nil>", "", "body")},
		{"a status without a name", get("/status?799"), lines("HTTP/1.1 799 ", "Content-Length: 4", "Connection: close", "X-Write: <nil>", "", "body")},

		{"HTTP/1.0", "GET /text HTTP/1.0\r\n\r\n", lines("HTTP/1.1 200 OK", "Content-Length: 5", "Connection: close", text, "", "hello")},
		{"HTTP/1.0, long: until close", "GET /big HTTP/1.0\r\n\r\n", lines("HTTP/1.1 200 OK", "Connection: close", "", x5000)},
		{"HTTP/1.0, flushed: until close, keep-alive or not", "GET /flush HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", lines("HTTP/1.1 200 OK", "Connection: close", "", "onetwo")},
		{"HTTP/1.0: no trailers", "GET /trailer HTTP/1.0\r\n\r\n", lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "data")},
		{"HTTP/1.0 HEAD", "HEAD /flush HTTP/1.0\r\n\r\n", lines("HTTP/1.1 200 OK", "Connection: close", "", "")},

		{"the handler closes", "GET /close HTTP/1.1\r\nHost: h\r\n\r\n", lines("HTTP/1.1 200 OK", "Content-Length: 3", "Connection: close", text, "", "bye")},
		{"the handler closes by a field", "GET /field HTTP/1.1\r\nHost: h\r\nX-Field: Connection|Close\r\n\r\n", lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},

		{"a field", with("X-B|2"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "X-B: 2", "", "four")},
		{"a field that would split the response", with("X-B|2^X-C: 3"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"a name that is no token", with("X B|2"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"the length is sent once", with("Content-Length|4"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"a length with zeros before it", with("Content-Length|00000000000000000004"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"a length that is no number", with("content-length|4x"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"chunks requested", with("Transfer-Encoding|Chunked"), lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", "", "4", "four", "0", "", "")},
		{"another coding is not sent", with("Transfer-Encoding|gzip"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"keep-alive is not sent on HTTP/1.1", with("Connection|keep-alive"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "", "four")},
		{"other connection options stay", with("Connection|X-Hop"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "Connection: X-Hop", "", "four")},
		{"a date of the handler's own", with("Date|Sun, 06 Nov 1994 08:49:37 +0000"), lines("HTTP/1.1 200 OK", "Content-Length: 4", "Connection: close", "Date: Sun, 06 Nov 1994 08:49:37 +0000", "", "four")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := f.exchange(t, c.request); got != c.answer {
				t.Errorf("%q\n got %q\nwant %q", c.request, got, c.answer)
			}
		})
	}
}

// The log says why a field of a response was not sent.
func TestWhatIsLeftOutIsLogged(t *testing.T) {
	for field, want := range map[string]string{
		"Content-Length|4x":                  "value=4x",
		"Content-Length|9223372036854775808": "value=9223372036854775808",
		"X B|2":                              `name="X B"`,
	} {
		j := new(journal)
		f := start(t, server.Config{Logger: j.logger(), Handler: server.HandlerFunc(site)})
		f.exchange(t, with(field))
		if !strings.Contains(j.String(), want) || !strings.Contains(j.String(), "not sent") {
			t.Errorf("%s: the log says %q", field, j)
		}
	}
}

func TestEveryAnswerHasOneDate(t *testing.T) {
	f := handle(t, site)
	for _, request := range []string{get("/text"), get("/status?404"), with("X-A|1"), get("/big"), "BAD\r\n\r\n"} {
		k := f.talk(t)
		k.Send(request)
		if head := k.WantUntil("\r\n\r\n"); len(dateLine.FindAllString(head, -1)) != 1 {
			t.Errorf("%q: no single Date in %q", request, head)
		}
	}
	k := f.talk(t)
	k.Send(with("Date|"))
	if head := k.WantUntil("\r\n\r\n"); strings.Contains(head, "Date") {
		t.Errorf("an empty Date did not suppress the field: %q", head)
	}
}

func TestServerName(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(site), ServerName: "wave/1"})
	for request, want := range map[string]string{
		get("/text"):           "Server: wave/1\r\n",
		get("/status?404"):     "Server: wave/1\r\n",
		with("server|another"): "server: another\r\n",
		"BAD\r\n\r\n":          "Server: wave/1\r\n",
	} {
		answer := f.exchange(t, request)
		if !strings.Contains(answer, want) || strings.Count(strings.ToLower(answer), "server:") != 1 {
			t.Errorf("%q: want %q once in %q", request, want, answer)
		}
	}
}
