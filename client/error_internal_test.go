package client

import "testing"

// Errors show a URL without its userinfo and fragment.
func TestRedacted(t *testing.T) {
	for url, want := range map[string]string{
		"http://u:p@a/b?c#d": "http://a/b?c", "https://a": "https://a", "http://a/@b": "http://a/@b", "http://u:p@a@b?c@d": "http://b?c@d",
		"nothing": "nothing", "": "", "http://a?u@b": "http://a?u@b", "http://u@#x": "http://", "http://@a/b": "http://a/b", "http://@": "http://", "http:///a@b": "http:///a@b",
	} {
		if got := redacted(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}
