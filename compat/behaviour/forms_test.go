package behaviour

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
)

func formRows() []row { return append(append(queryRows(), multipartRows()...), cookieRows()...) }

// posted is a row about a form that is posted; see returns the form as the handler sees it.
func posted(name, contentType, body, want string, see func(*http.Request) string) row {
	return tell(name,
		"POST /?q=query&both=1 HTTP/1.1\r\nHost: a\r\nContent-Type: "+contentType+"\r\n"+
			sized(len(body))+"\r\n"+body, want, see)
}

func queryRows() []row {
	const encoded = "application/x-www-form-urlencoded"
	values := func(r *http.Request) string {
		err := r.ParseForm()
		return fmt.Sprintf("%s | %s | %v", r.Form.Encode(), r.PostForm.Encode(), err)
	}
	rows := []row{
		posted("a form", encoded, "z=post&both=2&prio=1&empty=", "both=2&both=1&empty=&prio=1&q=query&z=post",
			values),
		posted("a form with a charset", encoded+"; charset=utf-8", "z=post", "z=post", values),
		posted("a form of another type", "text/plain", "z=post", "both=1&q=query |  | <nil>", values),
		posted("a form without a type", "", "z=post", "both=1&q=query", values),
		posted("a form of a bad type", "text/plain; boundary=", "z=post", "mime: invalid media parameter", values),
		posted("a form with escapes", encoded, "a=%C3%A9+b&c=%zz", "invalid URL escape", values),
		posted("a form of a type in capitals", "APPLICATION/X-WWW-FORM-URLENCODED", "z=post", "z=post", values),
		posted("a semicolon in a form", encoded, "a=1;b=2", "semicolon", values),
		posted("FormValue and PostFormValue", encoded, "z=post&both=2", "query post 2 | post",
			func(r *http.Request) string {
				return r.FormValue("q") + " " + r.FormValue("z") + " " + r.FormValue("both") + " | " +
					r.PostFormValue("q") + r.PostFormValue("z")
			}),
	}
	for _, q := range []string{"a=1;x=bad&x=good", "a=1;b=bad&x=good", "a=1%3Bx=bad&x=good%3B", "a=1;x=good;x=bad"} {
		for _, allow := range []bool{false, true} {
			rows = append(rows,
				row{name: fmt.Sprintf("a query of %s, semicolons allowed: %v", q, allow), want: "200 OK",
					play: func(s *scene) {
						var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							fmt.Fprintf(w, "%q %v %q", r.URL.Query().Get("x"), r.ParseForm(), r.FormValue("x"))
						})
						if allow {
							h = http.AllowQuerySemicolons(h)
						}
						s.serve(h)
						p := s.dial()
						p.say("GET /?" + q + " HTTP/1.1\r\nHost: a\r\n\r\n")
						p.hear("GET")
						s.notef("logged: %v", strings.Contains(s.log.String(), "semicolon"))
					}})
		}
	}
	return rows
}

// form makes a multipart body with a field and a file of n bytes.
func form(n int) (contentType, body string) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	m.WriteField("field", "value")
	f, _ := m.CreateFormFile("file", "name.txt")
	io.WriteString(f, xs(n))
	m.Close()
	return m.FormDataContentType(), b.String()
}

func multipartRows() []row {
	small, smallBody := form(10)
	seeParts := func(r *http.Request) string {
		reader, err := r.MultipartReader()
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for {
			part, err := reader.NextPart()
			if err != nil {
				return b.String() + err.Error()
			}
			text, _ := io.ReadAll(part)
			fmt.Fprintf(&b, "%s %s %s, ", part.FormName(), part.FileName(), text)
		}
	}
	return []row{
		posted("multipart: ParseMultipartForm", small, smallBody, "value name.txt 10", func(r *http.Request) string {
			if err := r.ParseMultipartForm(1 << 20); err != nil {
				return err.Error()
			}
			f := r.MultipartForm.File["file"][0]
			return fmt.Sprint(r.FormValue("field"), " ", f.Filename, " ", f.Size, " ", r.PostForm)
		}),
		posted("multipart: FormFile parses by itself", small, smallBody, "name.txt xxxxxxxxxx",
			func(r *http.Request) string {
				f, h, err := r.FormFile("file")
				if err != nil {
					return err.Error()
				}
				b, _ := io.ReadAll(f)
				return h.Filename + " " + string(b)
			}),
		posted("multipart: a file that is not there", small, smallBody, http.ErrMissingFile.Error(),
			func(r *http.Request) string {
				_, _, err := r.FormFile("other")
				return fmt.Sprint(err)
			}),
		posted("multipart: part by part", small, smallBody, "field  value, file name.txt xxxxxxxxxx, EOF", seeParts),
		posted("multipart: no multipart", "text/plain", "x", http.ErrNotMultipart.Error(), seeParts),
		posted("multipart: no boundary", "multipart/form-data", "x", http.ErrMissingBoundary.Error(), seeParts),
		posted("multipart: a body that is cut", small, smallBody[:len(smallBody)-20], "EOF",
			func(r *http.Request) string {
				return fmt.Sprint(r.ParseMultipartForm(1 << 20))
			}),
		posted("multipart: reader after parser", small, smallBody,
			"http: multipart handled by ParseMultipartForm", func(r *http.Request) string {
				r.ParseMultipartForm(1 << 20)
				return seeParts(r)
			}),
		posted("multipart: parser after reader", small, smallBody, "http: multipart handled by MultipartReader",
			func(r *http.Request) string {
				r.MultipartReader()
				return fmt.Sprint(r.ParseMultipartForm(1 << 20))
			}),
		{name: "multipart: files on disk go with the request", want: "gone", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				r.ParseMultipartForm(1)
				f, _, err := r.FormFile("file")
				if err != nil {
					s.notef("%v", err)
					return
				}
				if onDisk, ok := f.(*os.File); ok {
					io.WriteString(w, onDisk.Name())
				}
			})
			contentType, body := form(20 << 20)
			res, err := s.client().Post("http://"+s.addr, contentType, strings.NewReader(body))
			if err != nil {
				s.t.Fatal(err)
			}
			name, _ := io.ReadAll(res.Body)
			res.Body.Close()
			s.notef("a file: %v", len(name) > 0)
			s.until("the file is gone", func() bool {
				_, err := os.Stat(string(name))
				return errors.Is(err, os.ErrNotExist)
			})
			s.notef("gone")
		}},
	}
}

func cookieRows() []row {
	cookies := func(r *http.Request) string { return fmt.Sprint(r.Cookies()) }
	withCookies := func(lines string) string { return "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n" }
	return []row{
		tell("cookies", withCookies("Cookie: a=1; b=\"2\"\r\nCookie: c=3\r\n"), "a=1", cookies),
		tell("cookies that are none", withCookies("Cookie: a b=1; =2; c\r\n"), "[", cookies),
		tell("a cookie by its name", withCookies("Cookie: a=1; a=2\r\n"), "a=1 <nil> [a=1 a=2]",
			func(r *http.Request) string {
				c, err := r.Cookie("a")
				return fmt.Sprint(c, " ", err, " ", r.CookiesNamed("a"))
			}),
		tell("a cookie that is not there", withCookies(""), http.ErrNoCookie.Error(), func(r *http.Request) string {
			_, err := r.Cookie("a")
			return fmt.Sprint(err)
		}),
		reply("setting cookies", "Set-Cookie: a=1; Path=/; HttpOnly; SameSite=Lax\nSet-Cookie: b=2",
			func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w,
					&http.Cookie{Name: "a", Value: "1", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
				http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
			}),
		reply("setting a cookie without a name", "200 OK\nContent-Length: 0",
			func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "", Value: "1"})
				if n := slices.Collect(maps.Keys(w.Header())); len(n) > 0 {
					panic(n)
				}
			}),
	}
}
