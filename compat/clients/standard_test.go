package clients

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// Cookies, forms and redirects of http.Client work the same on our Transport.
func TestStandardClient(t *testing.T) {
	overBoth(t, func(t *testing.T, rt carrier) (seen []string) {
		at := rt.serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/moved":
				http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
				return
			case "/cookie":
				http.SetCookie(w, &http.Cookie{Name: "a", Value: "b", Path: "/"})
			}
			body, err := io.ReadAll(r.Body)
			fmt.Fprintln(w, r.Method, r.URL, r.ContentLength, string(body), err)
			r.Header.Write(w)
		})
		note := func(resp *http.Response, err error) {
			check(t, err)
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			seen = append(seen, fmt.Sprint(resp.Status, resp.Proto, resp.Request.URL.Path, resp.Header.Get("Location"), err, "\n", strings.ReplaceAll(string(b), at, "URL")))
		}
		jar, err := cookiejar.New(nil)
		check(t, err)
		c := &http.Client{Transport: rt, Jar: jar}
		note(c.Get(at + "/cookie"))
		note(c.Get(at + "/sent"))
		note(c.PostForm(at+"/form", url.Values{"a": {"b"}}))
		note(c.Post(at+"/moved", "text/plain", strings.NewReader("again")))
		note(c.Post(at+"/moved", "text/plain", io.MultiReader(strings.NewReader("cannot be had again"))))
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		note(c.Head(at + "/moved"))
		c.CloseIdleConnections()
		return seen
	})
}
