package standard

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// BasicAuth gets the same user and password on both servers.
func TestBasicAuth(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		if !ok || user != "Aladdin" || password != "open sesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="cave"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		fmt.Fprintln(w, "welcome", user)
	})
	both.Same(t, h, []both.Request{
		both.Get(401, "/"),
		both.Get(200, "/", "Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
		both.Get(401, "/", "Authorization", "Basic QWxhZGRpbjo="),
		both.Get(401, "/", "Authorization", "Basic %"),
		both.Get(401, "/", "Authorization", "Bearer x"),
	})
}

// http.Redirect sends the same status and Location on both servers.
func TestRedirects(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.FormValue("url"), http.StatusFound)
	})
	mux.Handle("/fixed/", http.RedirectHandler("https://example.org/ü?a=b c", http.StatusMovedPermanently))
	mux.Handle("/strip/", http.StripPrefix("/strip", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %q %q", r.URL.Path, r.URL.RawPath, r.RequestURI)
	})))
	mux.Handle("/strict/", http.StripPrefix("/strict/x/", http.NotFoundHandler()))
	both.Same(t, mux, []both.Request{
		both.Get(302, "/to?url=/abs"),
		both.Get(302, "/to?url=rel"),
		both.Get(302, "/to?url=../up"),
		both.Head(302, "/to?url=/abs"),
		both.Post(302, "/to?url=/abs", ""),
		both.Get(301, "/fixed/x"),
		both.Get(200, "/strip/a%2Fb"),
		both.Get(200, "/strip/"),
		both.Get(404, "/strict/y"),
	})
}

// visits counts in a cookie.
func visits(w http.ResponseWriter, r *http.Request) {
	seen := "none"
	if c, err := r.Cookie("seen"); err == nil {
		seen = c.Value
	}
	http.SetCookie(w, &http.Cookie{Name: "seen", Value: seen + "+", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.SetCookie(w, &http.Cookie{Name: "odd", Value: "a b, c", MaxAge: 60})
	fmt.Fprintln(w, len(r.Cookies()), r.CookiesNamed("odd"), seen)
}

// Cookies are read and set the same on both servers.
func TestCookies(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(http.HandlerFunc(visits)), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Client.Jar = jar
		for range 3 {
			seen = append(seen, s.Do(t, both.Get(200, "/")))
		}
		return append(seen, s.Do(t, both.Get(200, "/", "Cookie", `a=b; bad name=c; q="quoted"; seen=x`)))
	})
}

// http.CrossOriginProtection refuses the same requests on both servers.
func TestCrossOriginProtection(t *testing.T) {
	t.Parallel()
	guard := http.NewCrossOriginProtection()
	if err := guard.AddTrustedOrigin("https://friend.example"); err != nil {
		t.Fatal(err)
	}
	guard.AddInsecureBypassPattern("POST /open")
	h := guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "done") }))
	both.Same(t, h, []both.Request{
		both.Get(200, "/", "Sec-Fetch-Site", "cross-site"),
		both.Post(403, "/", "x", "Sec-Fetch-Site", "cross-site"),
		both.Post(200, "/open", "x", "Sec-Fetch-Site", "cross-site"),
		both.Post(200, "/", "x", "Sec-Fetch-Site", "same-origin"),
		both.Post(200, "/", "x", "Origin", "http://"+both.Host),
		both.Post(403, "/", "x", "Origin", "http://evil.example"),
		both.Post(200, "/", "x", "Origin", "https://friend.example", "Sec-Fetch-Site", "cross-site"),
		both.Post(200, "/", "x"),
	})
}
