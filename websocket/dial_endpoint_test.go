package websocket

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A request that cannot be sent is refused before anything is dialled.
func TestDialUnsent(t *testing.T) {
	header := func(name string, values ...string) Config { return Config{Header: http.Header{name: values}} }
	for name, tc := range map[string]struct {
		url string
		cfg Config
	}{
		"no scheme":          {url: "example.com/"},
		"another scheme":     {url: "ftp://example.com/"},
		"no host":            {url: "ws:///path"},
		"opaque":             {url: "ws:example.com"},
		"a fragment":         {url: "ws://example.com/#a"},
		"an empty fragment":  {url: "ws://example.com/#"},
		"port 0":             {url: "ws://example.com:0/"},
		"a large port":       {url: "ws://example.com:65536/"},
		"no port":            {url: "ws://example.com:x/"},
		"a space":            {url: "ws://example.com/?a b"},
		"a control byte":     {url: "ws://example.com/?a\nb"},
		"no IDNA":            {url: "ws://-ü-.example/"},
		"no name":            {url: "ws://a\"b/"},
		"our key":            {cfg: header("sec-websocket-key", "x")},
		"our Upgrade":        {cfg: header("Upgrade", "h2c")},
		"a body":             {cfg: header("Content-Length", "5")},
		"two hosts":          {cfg: header("Host", "a", "b")},
		"no Host":            {cfg: header("Host", "a/b")},
		"a split value":      {cfg: header("X", "a\r\nb: c")},
		"a split name":       {cfg: header("X: a\r\nb", "c")},
		"no token":           {cfg: Config{Subprotocols: []string{"a b"}}},
		"a subprotocol is 2": {cfg: Config{Subprotocols: []string{"a", "b", "a"}}},
	} {
		if tc.url == "" {
			tc.url = "ws://me:secret@example.com/"
		}
		k := begin(t.Context(), t, tc.url, tc.cfg, nil)
		if c, resp, err := k.result(); c != nil || resp != nil || err == nil || strings.Contains(err.Error(), "secret") || k.addr != "" {
			t.Errorf("%s: got %v, %v, %v, and dialled %q", name, c, resp, err, k.addr)
		}
	}
}

// Dial uses the proxy and the TLS settings of its Config.
func TestDialWay(t *testing.T) {
	var asked string
	via := func(proxy string) Config {
		return Config{
			TLSConfig: &tls.Config{NextProtos: []string{"h2"}, ServerName: "name"},
			Proxy: func(r *http.Request) (*url.URL, error) {
				asked = r.Method + " " + r.URL.String()
				if proxy == "" {
					return nil, nil
				}
				return url.Parse(proxy)
			},
		}
	}
	way := func(raw, proxy string) string {
		to, err := parseEndpoint(raw)
		if err != nil {
			t.Fatal(err)
		}
		cfg := via(proxy)
		target, err := cfg.settings().target(to, to.request(nil))
		if err != nil {
			return err.Error()
		}
		if cfg.TLSConfig.NextProtos[0] != "h2" {
			t.Error("the caller's TLS config was changed")
		}
		var words []string
		if target.TLS != nil {
			words = append(words, "tls", target.TLS.ServerName, strings.Join(target.TLS.NextProtos, ","))
		}
		if p := target.Proxy; p != nil {
			words = append(words, []string{"http", "https", "socks5"}[p.Scheme], p.Host, p.Port)
			if p.Login != nil {
				words = append(words, p.Login.User, p.Login.Password)
			}
		}
		return strings.Join(words, " ")
	}
	for _, tc := range []struct{ url, proxy, asked, want string }{
		{"ws://a/b", "", "GET http://a/b", ""},
		{"wss://a/b", "", "GET https://a/b", "tls name http/1.1"},
		{"ws://a", "http://proxy", "GET http://a", "http proxy 80"},
		{"wss://a", "https://u:p@proxy", "GET https://a", "tls name http/1.1 https proxy 443 u p"},
		{"ws://a", "socks5://u@[::1]", "GET http://a", "socks5 ::1 1080 u "},
		{"ws://a", "socks5h://bücher:9", "GET http://a", "socks5 xn--bcher-kva 9"},
		{"ws://a", "ftp://u:secret@a", "GET http://a", `websocket: proxy: the scheme "ftp" is not http, https or socks5`},
	} {
		if got := way(tc.url, tc.proxy); got != tc.want || asked != tc.asked {
			t.Errorf("%s by %s: got %q for %q", tc.url, tc.proxy, got, asked)
		}
	}
}
