package redirect

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A trip is a request that is redirected by the book, step by step.
type trip struct {
	method, from string
	body         string // "", "again" or "once": whether it can be sent twice
	host         string // a Host of the program's own
	referer      string
	steps        []step
}

type step struct {
	status   int
	location string
}

// sent is the part of a request that is compared: what a server saw of it, and where it was sent to.
type sent struct {
	Method, To, Host, Body, Referer, Authorization, Cookie, ContentType, Own string
}

// book is a server under every name, with TLS and without: its responses are the steps of one trip.
type book struct {
	client *http.Client
	trip   *trip
	seen   []sent
}

func newBook(t *testing.T) *book {
	b := new(book)
	plain, secure := httptest.NewServer(b), httptest.NewTLSServer(b)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	tr := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // it goes by every name
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			to := plain
			if strings.HasSuffix(addr, ":443") || strings.HasSuffix(addr, ":8443") {
				to = secure
			}
			return new(net.Dialer).DialContext(ctx, network, to.Listener.Addr().String())
		},
	}
	t.Cleanup(tr.CloseIdleConnections)
	b.client = &http.Client{Transport: marking{tr}}
	return b
}

// marking tells the server to which address the client has sent a request.
type marking struct{ http.RoundTripper }

func (m marking) RoundTrip(r *http.Request) (*http.Response, error) {
	marked := r.Clone(r.Context())
	marked.Header.Set("To", origin(r.URL))
	return m.RoundTripper.RoundTrip(marked)
}

func origin(u *url.URL) string { return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() }

func (b *book) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h := r.Header
	b.seen = append(b.seen, sent{r.Method, h.Get("To") + r.RequestURI, r.Host, string(body), h.Get("Referer"),
		h.Get("Authorization"), h.Get("Cookie"), h.Get("Content-Type"), h.Get("Own")})
	if n := len(b.seen); n <= len(b.trip.steps) {
		s := b.trip.steps[n-1]
		if s.location != "" {
			w.Header().Set("Location", s.location)
		}
		w.WriteHeader(s.status)
	}
}

// given are the program's own fields.
func (tr *trip) given() http.Header {
	h := http.Header{"Authorization": {"secret"}, "Cookie": {"a=b"}, "Content-Type": {"text/x"}, "Own": {"own"}}
	if strings.Contains(tr.from, "@") {
		h.Del("Authorization")
	}
	if tr.referer != "" {
		h.Set("Referer", tr.referer)
	}
	return h
}

// byNetHTTP returns what net/http's client sends, the status it ends with, and whether it fails.
func (b *book) byNetHTTP(t *testing.T, tr *trip) (seen []sent, status int, failed bool) {
	b.trip, b.seen = tr, nil
	var body io.Reader
	switch tr.body {
	case "again":
		body = strings.NewReader("body")
	case "once":
		body = io.NopCloser(strings.NewReader("body"))
	}
	req, err := http.NewRequest(tr.method, tr.from, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header, req.Host = tr.given(), cmp.Or(tr.host, req.Host)
	resp, err := b.client.Do(req)
	if resp != nil {
		resp.Body.Close()
		status = resp.StatusCode
	}
	return b.seen, status, err != nil
}

// byUs returns the same by our rules.
func (tr *trip) byUs(t *testing.T) (seen []sent, status int, failed bool) {
	first, err := url.Parse(tr.from)
	if err != nil {
		t.Fatal(err)
	}
	way := New(tr.method, first, 9) // net/http's stops at the tenth
	at, ref := way.Last, ""
	for i := 0; ; i++ {
		seen = append(seen, tr.request(&at, ref))
		if i == len(tr.steps) {
			return seen, 200, false
		}
		hop, err := way.Next(tr.steps[i].status, tr.steps[i].location, tr.body == "once")
		if hop == nil {
			return seen, tr.steps[i].status, err != nil
		}
		ref = Referer(at.URL, hop.URL, tr.referer)
		at = *hop
	}
}

// asSent turns a URL's host into a Host, for the hosts of the trips.
var asSent = strings.NewReplacer("bücher", "xn--bcher-kva", "%.a.test", "")

// authorization returns the Authorization for a URL's userinfo (RFC 7617 §2).
func authorization(u *url.URL) string {
	if u.User == nil {
		return ""
	}
	password, _ := u.User.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
}

// request returns the request of a hop as it is sent.
func (tr *trip) request(h *Hop, referer string) sent {
	given := tr.given()
	for name := range given {
		if IsCredential(name) && !h.Credentials || IsAboutBody(name) && !h.Body {
			given.Del(name)
		}
	}
	given.Set("Authorization", cmp.Or(given.Get("Authorization"), authorization(h.URL)))
	s := sent{h.Method, origin(h.URL) + h.URL.RequestURI(), asSent.Replace(h.URL.Host), "", cmp.Or(referer, given.Get("Referer")),
		given.Get("Authorization"), given.Get("Cookie"), given.Get("Content-Type"), given.Get("Own")}
	if tr.body != "" && h.Body {
		s.Body = "body"
	}
	if tr.host != "" && h.OwnHost {
		s.Host = tr.host
	}
	return s
}

var places = []string{
	"/x", "y?z=1", "../w", "?q", "#part", "http://a.test/", "http://a.test:80/p", "http://a.test:8080/p", "http://b.test/", "http://sub.a.test/s",
	"http://nota.test/", "//sub.a.test/t", "https://a.test/", "https://a.test:8443/", "http://u:p@a.test/u", "http://u@b.test/u#f",
	"http://[::1%25.a.test]/", "http://test/", "HTTP://A.test/", "",
}

// trips are all methods with all statuses, and all pairs of places with a sample of the rest.
func trips() (all []trip) {
	froms := []string{"http://a.test/dir/file?query", "https://a.test/dir/", "http://me:pw@a.test/", "http://a.test/x#frag", "http://bücher.test/"}
	bodies, n := []string{"", "again", "once"}, 0
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"} {
		for _, status := range []int{200, 300, 301, 302, 303, 304, 305, 307, 308, 404} {
			for _, body := range bodies {
				steps := []step{{status, "/x"}, {307, "http://sub.a.test/"}}
				all = append(all, trip{method: method, from: froms[0], body: body, steps: steps})
			}
		}
	}
	for i, a := range places {
		for j, b := range places {
			n++
			tr := trip{method: []string{"GET", "POST", "HEAD"}[n%3], from: froms[n%len(froms)], body: bodies[n/3%3]}
			tr.steps = []step{{[]int{307, 302, 308}[n%3], a}, {[]int{308, 307, 301}[(i+j)%3], b}, {307, "http://a.test/back"}}
			if n%4 == 0 && !strings.HasPrefix(a, "//") && !strings.HasPrefix(b, "//") {
				tr.host = "own.test"
			}
			if n%7 == 0 {
				tr.referer = "http://own/"
			}
			all = append(all, tr)
		}
	}
	for _, bad := range []string{"mailto:a@b.test", "file:///etc/passwd", "http://", "http:///x", "https:opaque", "http://a b.test/", "%zz", ":x", "ws://a.test/"} {
		all = append(all, trip{method: "GET", from: froms[0], steps: []step{{302, bad}}})
	}
	for _, many := range []int{9, 10, 11} {
		all = append(all, trip{method: "GET", from: froms[0], steps: slices.Repeat([]step{{302, "/again"}}, many)})
	}
	return all
}

// The rules lead to the same requests as net/http's client, except for the fragment in its Referer.
func TestAsNetHTTP(t *testing.T) {
	b := newBook(t)
	for i, tr := range trips() {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			want, wantStatus, wantFailed := b.byNetHTTP(t, &tr)
			for i := range want {
				want[i].Referer, _, _ = strings.Cut(want[i].Referer, "#")
			}
			got, status, failed := tr.byUs(t)
			if !slices.Equal(got, want) || failed != wantFailed || !failed && status != wantStatus {
				t.Errorf("%+v\nwe:       %s\nnet/http: %s", tr, story(got, status, failed), story(want, wantStatus, wantFailed))
			}
		})
	}
}

func story(seen []sent, status int, failed bool) string {
	var b strings.Builder
	for _, s := range seen {
		fmt.Fprintf(&b, "\n  %q", s)
	}
	fmt.Fprintf(&b, "\n  %d, failed: %v", status, failed)
	return b.String()
}
