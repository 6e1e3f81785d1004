package websocket

import (
	"errors"
	"net/http"
	"testing"
)

// Dial follows redirects only if Config.Redirects allows them, and no more than that.
func TestRedirects(t *testing.T) {
	where := map[string]string{"/a": "b", "/b": "/c?x", "/c": "/", "/none": "", "/bad": "ws://a:b/", "/mail": "mailto:a@b", "/part": "/#part"}
	s, at := accepting(t, Config{}, false, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = []string{where[r.URL.Path]}
		w.WriteHeader(http.StatusFound)
	})
	header := http.Header{"cookie": {"a=b"}, "Authorization": {"x"}}
	cfg := Config{Redirects: 3, Header: header}
	_, resp := there(t, at+"/a", cfg)
	if told := resp.Header.Get("X-Told"); told != "a=b;x" || resp.Request.URL.Path != "/" {
		t.Errorf("the same host was told %q at %v", told, resp.Request.URL)
	}
	for path, redirects := range map[string]int{"/a": 2, "/b": 0, "/c": -1, "/none": 1, "/bad": 1, "/mail": 1, "/part": 1} {
		cfg.Redirects = redirects
		c, resp, err := Dial(soon(t), at+path, cfg)
		if c != nil || err == nil || resp == nil || resp.StatusCode != 302 {
			t.Errorf("%s: got %v, %v, %v", path, c, resp, err)
		}
	}
	elsewhere, _ := accepting(t, Config{}, false, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.URL, http.StatusPermanentRedirect)
	})
	cfg.Redirects = 1
	_, resp = there(t, elsewhere.URL+"/x", cfg)
	if told := resp.Header.Get("X-Told"); told != "" || len(header) != 2 {
		t.Errorf("another host was told %q", told)
	}
}

// No redirect leads from wss to ws.
func TestRedirectStaysSecure(t *testing.T) {
	plain, _ := accepting(t, Config{}, false, nil)
	s, at := accepting(t, Config{}, true, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL, http.StatusSeeOther)
	})
	if c, _, err := Dial(soon(t), at+"/x", Config{TLSConfig: trust(s), Redirects: 5}); c != nil || !errors.Is(err, errInsecure) {
		t.Errorf("got %v, %v", c, err)
	}
}
