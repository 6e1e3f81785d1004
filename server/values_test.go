package server_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// queries are read as net/url reads them.
var queries = []string{
	"", "a", "a=", "=a", "a=b", "a=b&a=c&d=e", "a=b=c", "&&a=b&", "a+b=c+d", "a%20b=%41", "a=%", "a=%4", "a=%zz&b=c",
	"%=a&b=c", "a;b=c&d=e", "a=%3B%26%3d", "%61=%62&a=c", "a=" + strings.Repeat("%41", 3000), "a=%c3%a9&%00=%ff",
}

// listed writes all parameters, sorted by name.
func listed(v url.Values) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(v)) {
		fmt.Fprintf(&b, "%q: %q\n", name, v[name])
	}
	return b.String()
}

func TestValues(t *testing.T) {
	h := func(w *server.ResponseWriter, r *server.Request) {
		values := r.QueryValues()
		if len(r.Query()) == 0 {
			var err error
			if values, err = r.FormValues(); err != nil {
				w.Error(400, err.Error())
				return
			}
		}
		var kept [][2][]byte // borrowed, and good until the handler returns
		for name, value := range values.All() {
			kept = append(kept, [2][]byte{name, value})
		}
		all := url.Values{}
		for _, k := range kept {
			all.Add(string(k[0]), string(k[1]))
			if first := all.Get(string(k[0])); string(values.Get(string(k[0]))) != first || !values.Has(string(k[0])) {
				fmt.Fprintf(w, "Get(%q) is not %q\n", k[0], first)
			}
		}
		if values.Has("no such name") || values.Get("no such name") != nil {
			w.WriteString("a value for no such name\n")
		}
		w.WriteString(listed(all))
	}
	f := handle(t, h)
	for _, q := range queries {
		want, _ := url.ParseQuery(q)
		for _, request := range []string{
			"GET /?" + q + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			post(fmt.Sprintf("Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n", len(q)), q),
		} {
			if q == "" && request[0] == 'G' {
				continue
			}
			_, got, _ := strings.Cut(f.exchange(t, request), "\r\n\r\n")
			if got != listed(want) {
				t.Errorf("%.60s of %.100q:\n%s\nwant:\n%s", request, q, got, listed(want))
			}
		}
	}
}

func TestFormValuesRefuses(t *testing.T) {
	errs := make(chan error, 1)
	f := start(t, server.Config{MaxBodyBytes: 4, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		_, err := r.FormValues()
		errs <- err
	})})
	f.exchange(t, post("Content-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n", "a=b"))
	if err := <-errs; err != server.ErrNotForm {
		t.Errorf("a text: %v", err)
	}
	f.exchange(t, post("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5\r\nConnection: close\r\n", "a=bcd"))
	if _, ok := errors.AsType[*http.MaxBytesError](<-errs); !ok {
		t.Error("a body beyond the limit")
	}
}

// A multipart form can be read as docs/server.md shows.
func TestMultipart(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		_, params, _ := mime.ParseMediaType(r.Header().GetString("Content-Type"))
		for parts := multipart.NewReader(r, params["boundary"]); ; {
			part, err := parts.NextPart()
			if err != nil {
				return
			}
			text, _ := io.ReadAll(part)
			fmt.Fprintf(w, "%s %s %s\n", part.FormName(), part.FileName(), text)
		}
	})
	body := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"n.txt\"\r\n\r\ntwo\r\n--b--\r\n"
	got := f.exchange(t, post(fmt.Sprintf("Content-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\nConnection: close\r\n", len(body)), body))
	if !strings.HasSuffix(got, "\r\n\r\na  one\nf n.txt two\n") {
		t.Errorf("%q", got)
	}
}

// Cookies are read as net/http reads them.
func TestCookies(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		for name, value := range r.Cookies() {
			fmt.Fprintf(w, "%s=%s, first %s\n", name, value, r.Cookie(string(name)))
			if r.Cookie(string(name)) == nil {
				fmt.Fprintf(w, "%s is as if it were not there\n", name)
			}
		}
		if r.Cookie("no such name") != nil {
			w.WriteString("a cookie of no such name\n")
		}
	})
	for _, fields := range [][]string{
		nil, {"a=b"}, {"a=b; c=d;e=f ; g = h"}, {"a=b", "a=c; d=e"}, {`a="b"; c="; d="e f"; g="`}, {"a"}, {"a="}, {"=b; c=d"},
		{"a=b\\; c=d"}, {"a=b,c d; e=\x7f; f=g"}, {"a b=c; d[]=e; f=g=h"}, {";;a=b;;"},
	} {
		std, request := new(http.Request), "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
		std.Header = http.Header{"Cookie": fields}
		if !strings.Contains(strings.Join(fields, ""), "\x7f") { // no accepted field has this byte
			var want strings.Builder
			for _, line := range fields {
				request += "cookie: " + line + "\r\n"
			}
			for _, c := range std.Cookies() {
				first, _ := std.Cookie(c.Name)
				fmt.Fprintf(&want, "%s=%s, first %s\n", c.Name, c.Value, first.Value)
			}
			_, got, _ := strings.Cut(f.exchange(t, request+"\r\n"), "\r\n\r\n")
			if got != want.String() {
				t.Errorf("%q:\n%s\nwant:\n%s", fields, got, want.String())
			}
		}
	}
}

func TestSetCookieAndRedirect(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		ok := w.SetCookie(&http.Cookie{Name: "a", Value: "b", Path: "/"})
		if !ok || w.SetCookie(&http.Cookie{Name: "no name"}) {
			t.Error("SetCookie does not tell what is a cookie")
		}
		w.WriteString("thrown away")
		if err := w.Redirect(303, "/there?x=y"); err != nil {
			t.Error(err)
		}
		if err := w.Redirect(303, "/elsewhere"); err != server.ErrCommitted {
			t.Errorf("twice: %v", err)
		}
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 303 See Other", "Content-Length: 10", "Content-Type: text/plain; charset=utf-8",
		"Set-Cookie: a=b; Path=/", "Location: /there?x=y", "X-Content-Type-Options: nosniff")
	k.Want("See Other\n")
}
