package pageorigin

import "testing"

// A page of the request's own host or of a listed origin is allowed, and no other.
func TestAllowed(t *testing.T) {
	for _, tc := range []struct {
		origins, listed []string
		want            bool
	}{
		{nil, nil, true},
		{[]string{"https://own.example"}, nil, true},
		{[]string{"https://own.example:8443"}, nil, false},
		{[]string{"https://a.other.example"}, []string{"*.other.example"}, true},
		{[]string{"https://a.b.other.example"}, []string{"*.other.example"}, false},
		{[]string{"null"}, []string{"other.example"}, false},
		{[]string{"null"}, []string{"*"}, true},
		{[]string{"https://own.example", "https://own.example"}, nil, false},
	} {
		if got := Allowed(tc.origins, "own.example:443", tc.listed); got != tc.want {
			t.Errorf("%q with %q: %v", tc.origins, tc.listed, got)
		}
	}
}
