package redirect

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func parsed(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A Location is resolved by RFC 3986 §5.2 and RFC 9110 §10.2.2, and inherits the fragment if it has none.
func TestLocation(t *testing.T) {
	from := parsed(t, "http://u:p@a.test/b/c?d#e%2Ff")
	for location, want := range map[string]string{
		"g": "http://u:p@a.test/b/g#e%2Ff", "/g": "http://u:p@a.test/g#e%2Ff", "?y": "http://u:p@a.test/b/c?y#e%2Ff",
		"#s": "http://u:p@a.test/b/c?d#s", "g#s": "http://u:p@a.test/b/g#s", "g#": "http://u:p@a.test/b/g",
		"//g": "http://g#e%2Ff", "../../g": "http://u:p@a.test/g#e%2Ff", "https://g/x#y": "https://g/x#y", "https://v@g": "https://v@g#e%2Ff",
	} {
		to, _, err := resolveLocation(from, location)
		if err != nil || to.String() != want {
			t.Errorf("%q leads to %v, %v, want %s", location, to, err, want)
		}
	}
	for _, location := range []string{"mailto:a@b", "file:///etc/passwd", "ftp://a/", "http://", "http://:80/", "javascript:x", "https:x", "http://a:b/", "%zz"} {
		if to, _, err := resolveLocation(from, location); to != nil || !errors.Is(err, ErrLocation) {
			t.Errorf("%q leads to %v, %v", location, to, err)
		}
	}
	_, _, err := resolveLocation(from, "http://user:password@host:port/")
	if err == nil || strings.Contains(err.Error(), "password@") {
		t.Errorf("the error tells a password: %v", err)
	}
	if from.String() != "http://u:p@a.test/b/c?d#e%2Ff" {
		t.Errorf("the target has become %v", from)
	}
}

// Limit redirects are followed, and with a negative limit every response is final.
func TestLimit(t *testing.T) {
	for _, limit := range []int{-1, 0, 1, 10} {
		way := New("GET", parsed(t, "http://a.test/"), limit)
		followed := 0
		hop, err := way.Next(302, "/", false)
		for ; hop != nil; hop, err = way.Next(302, "/", false) {
			followed++
		}
		if followed != max(limit, 0) || errors.Is(err, ErrTooMany) != (limit >= 0) {
			t.Errorf("limit %d: %d were followed, %v", limit, followed, err)
		}
		if hop, err := way.Next(200, "/", false); hop != nil || err != nil {
			t.Errorf("limit %d: a response behind them: got %v, %v", limit, hop, err)
		}
	}
}

// The program's Host is not sent to hosts that a Location names.
func TestOwnHost(t *testing.T) {
	way := New("GET", parsed(t, "http://a.test/"), 10)
	for _, step := range []struct {
		location string
		own      bool
	}{{"/x", true}, {"?y", true}, {"//b.test/", false}, {"/z", false}} {
		if hop, err := way.Next(302, step.location, false); err != nil || hop.OwnHost != step.own {
			t.Errorf("%s: got %+v, %v", step.location, hop, err)
		}
	}
	way = New("GET", parsed(t, "http://a.test/"), 10)
	if hop, err := way.Next(302, "http://a.test/", false); err != nil || hop.OwnHost {
		t.Errorf("the same host by its name: got %+v, %v", hop, err)
	}
}

// A host and its subdomains are the same site; names that only look alike are not.
func TestSameSite(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		want     bool
	}{
		{"http://a.test/", "http://a.test/x", true}, {"http://a.test/", "https://a.test:99/", true}, {"http://a.test/", "http://b.a.test/", true},
		{"http://a.test/", "http://c.b.a.test:1/", true}, {"http://b.a.test/", "http://a.test/", false}, {"http://a.test/", "http://xa.test/", false},
		{"http://a.test/", "http://a.test.evil/", false}, {"http://a.test/", "http://[::1%25.a.test]/", false}, {"http://a.test/", "http://test/", false},
		{"http://bücher.test/", "http://x.xn--bcher-kva.test/", true}, {"http://xn--bcher-kva.test/", "http://bücher.test/", true},
		{"http://127.0.0.1/", "http://127.0.0.2/", false}, {"http://[::1]/", "http://[::1]:80/", true},
	} {
		if got := sameSite(parsed(t, tc.from), parsed(t, tc.to)); got != tc.want {
			t.Errorf("%s to %s: got %v, want %v", tc.from, tc.to, got, tc.want)
		}
	}
}

// The Referer is the last URL without userinfo and fragment, or the program's own, and none after https for http.
func TestReferer(t *testing.T) {
	for _, tc := range [][4]string{
		{"http://u:p@a.test/x?y#z", "http://b.test/", "", "http://a.test/x?y"}, {"https://a.test/", "https://b.test/", "", "https://a.test/"},
		{"https://a.test/", "http://a.test/", "", ""}, {"https://a.test/", "http://a.test/", "http://own/", ""},
		{"http://a.test/", "https://a.test/", "http://own/", "http://own/"}, {"http://a.test/%2F#%2F", "http://b.test/", "", "http://a.test/%2F"},
	} {
		from := parsed(t, tc[0])
		if got := Referer(from, parsed(t, tc[1]), tc[2]); got != tc[3] || from.String() != tc[0] {
			t.Errorf("%q: got %q", tc, got)
		}
	}
}

// Fields are recognized in any case.
func TestFieldNames(t *testing.T) {
	for _, name := range []string{"authorization", "COOKIE", "Cookie2", "WWW-Authenticate", "Proxy-Authorization", "proxy-authenticate"} {
		if !IsCredential(name) || IsAboutBody(name) {
			t.Errorf("%s: want a credential", name)
		}
	}
	for _, name := range []string{"content-type", "Content-Encoding", "CONTENT-LANGUAGE", "Content-Location"} {
		if IsCredential(name) || !IsAboutBody(name) {
			t.Errorf("%s: want a field about the body", name)
		}
	}
	for _, name := range []string{"", "Accept", "Cookies", "Content-MD5", "X-Authorization"} {
		if IsCredential(name) || IsAboutBody(name) {
			t.Errorf("%s: want neither a credential nor a field about the body", name)
		}
	}
}
