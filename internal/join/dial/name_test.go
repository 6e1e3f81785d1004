package dial

import (
	"testing"
)

// ASCII gives the form of a name that DNS has, and an error if there is none; WithoutZone drops an address's zone.
func TestASCII(t *testing.T) {
	for host, want := range map[string]string{
		"example.com": "example.com", "Example.COM.": "Example.COM.", "::1": "::1", "a_b": "a_b",
		"bücher.example": "xn--bcher-kva.example", "BÜCHER.example": "xn--bcher-kva.example", "日本。jp": "xn--wgv71a.jp",
	} {
		if got, err := ASCII(host); got != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", host, got, err, want)
		}
	}
	for _, host := range []string{"a\u2028b", "-ü-"} {
		if got, err := ASCII(host); err == nil {
			t.Errorf("%q became %q", host, got)
		}
	}
	if got := WithoutZone("fe80::1%eth0"); got != "fe80::1" {
		t.Errorf("got %q", got)
	}
}
