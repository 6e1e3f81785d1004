package target

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
)

// Valid URLs are split into their parts.
func TestURL(t *testing.T) {
	for _, tc := range []struct{ url, host, key, path, query, user string }{
		{"http://a", "a", "a", "", "", ""},
		{"HTTP://A.b/", "A.b", "a.b", "/", "", ""},
		{"https://a:443/p?q#f", "a:443", "a", "/p", "?q", ""},
		{"http://a:443/p?q?r", "a:443", "a:443", "/p", "?q?r", ""},
		{"http://a:80?q#f?g", "a:80", "a", "", "?q", ""},
		{"http://a:/p", "a", "a", "/p", "", ""},
		{"http://a:080", "a:080", "a:080", "", "", ""},
		{"http://a#/p", "a", "a", "", "", ""},
		{"http://u:p@a@b/", "", "", "", "", ""},
		{"http://u:p%40@b/", "b", "b", "/", "", "u:p%40"},
		{"http://@b/", "b", "b", "/", "", ""},
		{"http://[::1]/", "[::1]", "[::1]", "/", "", ""},
		{"https://[FE80::1%25eth0]:443/", "[FE80::1]:443", "[fe80::1%25eth0]", "/", "", ""},
		{"http://[fe80::1%25eth0]:8/", "[fe80::1]:8", "[fe80::1%25eth0]:8", "/", "", ""},
		{"http://bücher.example:8/%C3%BC", "xn--bcher-kva.example:8", "xn--bcher-kva.example:8", "/%C3%BC", "", ""},
		{"http://1.2.3.4:65535/%", "", "", "", "", ""},
		{"http://1.2.3.4:65535/?%", "1.2.3.4:65535", "1.2.3.4:65535", "/", "?%", ""},
		{"http://a_b/{x}|y", "a_b", "a_b", "/{x}|y", "", ""},
	} {
		var to Target
		err := to.Parse(tc.url)
		if tc.host == "" {
			if err == nil {
				t.Errorf("%s: taken as %+v", tc.url, to)
			}
			continue
		}
		got := []string{to.Host, to.Key, to.Path, to.Query, to.User}
		want := []string{tc.host, tc.key, tc.path, tc.query, tc.user}
		if err != nil || strings.Join(got, " ") != strings.Join(want, " ") || to.HasUser != strings.Contains(tc.url, "@") {
			t.Errorf("%s: %q, %v; want %q", tc.url, got, err, want)
		}
		if to.Secure != (to.Scheme() == "https") || to.Secure != strings.HasPrefix(tc.url, "https") {
			t.Errorf("%s: %s", tc.url, to.Scheme())
		}
	}
}

// URLs that cannot be sent as they are are refused.
func TestURLRefused(t *testing.T) {
	for _, url := range []string{
		"", "/", "a", "a/b", "//a", "ftp://a", "http:/a", "http:a", "http//a", "http://", "https:///p", "http://?q", "http://#f",
		"http://:80", "http://u@:80/", "http://a b", "http://a/b c", "http://a/b\tc", "http://a/\r\nX: y", "http://a/\x00", "http://a/\x7f",
		"http://a/ü", "http://a/?ü", "http://a/?a b", " http://a", "http://a ", "http://a\r\n/", "http://a%41/", "http://a\"/", "http://a<b/",
		"http://a:x", "http://a:-1", "http://a:+1", "http://a:0", "http://a:000", "http://a:65536", "http://a:99999999999999999999", "http://a:8 0",
		"http://a:1:2", "http://::1/", "http://[::1", "http://::1]", "http://[::1]x", "http://[::1]x:80", "http://[]", "http://[1.2.3.4]",
		"http://[::g]", "http://[v1.a]", "http://[::1%]", "http://[::1%25]", "http://[::1%25a b]", "http://[::1%25a\r\n]", "http://x[::1]",
		"http://a/%", "http://a/%1", "http://a/%zz", "http://a/%1g?q", "http://u ser@a", "http://u%@a", "http://u%0a@a", "http://u%7f@a", "http://us\"er@a",
		"http://u%3Aser:p@a", "http://ü@a", "http://u@x@a", "http://a\\b/", "http://a^b", "http://a\xff/",
	} {
		var to Target
		if err := to.Parse(url); err == nil {
			t.Errorf("%q: got %+v", url, to)
		}
	}
}

// Parsing the same URL again changes nothing.
func TestURLAgain(t *testing.T) {
	var to Target
	for _, url := range []string{"http://u@a/b?c", "http://a/b?c", "http://a/b?c", "https://x"} {
		var fresh Target
		if err := errors.Join(to.Parse(url), fresh.Parse(url)); err != nil || to != fresh {
			t.Errorf("%s: %+v, %v; want %+v", url, to, err, fresh)
		}
	}
	for range 2 {
		if to.Parse("http://a/ ") == nil {
			t.Error("taken")
		}
	}
}

// Userinfo is decoded, and always gets a colon.
func TestAppendLogin(t *testing.T) {
	for user, want := range map[string]string{"": ":", "u": "u:", "u:": "u:", "u:p": "u:p", "u:p:q": "u:p:q", "u%40:%c3%bc%3a": "u@:ü:", ":p": ":p"} {
		if got := string((&Target{User: user}).AppendLogin(nil)); got != want {
			t.Errorf("%q: %q, want %q", user, got, want)
		}
	}
}

// A URL that is accepted is accepted by net/url, and names the same server and resource there.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"http://a/b?c", "https://u:p@[fe80::1%25x]:8443/%20?q#f", "http://bücher.example", "http://a:80", "HTTP://A:/?",
		"https://u:f::1%25p@[fe8f::1%25x]:8443/%20?q-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var to Target
		if to.Parse(s) != nil {
			return
		}
		u, err := url.Parse(s)
		if err != nil {
			if strings.ContainsAny(s, "#") || strings.Contains(s, "[") {
				return // net/url minds what is in a fragment, and some zones
			}
			t.Fatalf("%q: net/url says %v", s, err)
		}
		if !strings.EqualFold(u.Scheme, to.Scheme()) || u.Path == "" != (to.Path == "") || u.RawQuery != strings.TrimPrefix(to.Query, "?") {
			t.Fatalf("%q: %+v, net/url %+v", s, to, u)
		}
		if ascii := strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0; ascii && u.Hostname() != strings.Replace(DialHost(hostOf(t, s, &to)), "%25", "%", 1) {
			t.Fatalf("%q: host %q, net/url %q", s, to.Host, u.Hostname())
		}
		if bad := strings.IndexFunc(to.Host+to.Path+to.Query, func(r rune) bool { return r <= ' ' || r >= 0x7f }); bad >= 0 {
			t.Fatalf("%q: a byte that cannot be sent", s)
		}
		if user := u.User; user != nil {
			password, _ := user.Password()
			if got := string(to.AppendLogin(nil)); got != user.Username()+":"+password {
				t.Fatalf("%q: user %q, net/url %q", s, got, user)
			}
		}
	})
}

// hostOf returns the host of a target as it was written, with its zone.
func hostOf(t *testing.T, s string, to *Target) string {
	host, _, err := SplitPort(to.Host)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	if i := strings.Index(to.Key, "%"); i >= 0 {
		authority := s[strings.Index(s, "//")+2:]
		authority = authority[strings.LastIndex(authority[:strings.Index(authority, "]")], "@")+1:] // a user may have one, too
		zone := authority[strings.Index(authority, "%25"):]
		host = host[:len(host)-1] + zone[:strings.Index(zone, "]")+1]
	}
	return host
}

// A host is dialled without brackets, and with its zone in the form that the system uses.
func TestBare(t *testing.T) {
	for host, want := range map[string]string{"a": "a", "[::1]": "::1", "[fe80::1%25lo]": "fe80::1%lo"} {
		if got := DialHost(host); got != want || net.JoinHostPort(got, "1") == "" {
			t.Errorf("%s: %s", host, got)
		}
	}
}
