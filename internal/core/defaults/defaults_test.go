package defaults

import (
	"testing"
	"time"
)

// Set replaces zero by the default and keeps a negative value; SetLimit turns a negative value into zero.
func TestSet(t *testing.T) {
	for _, tc := range []struct{ field, set, limit int }{
		{0, 7, 7}, {1, 1, 1}, {7, 7, 7}, {-1, -1, 0}, {-7, -7, 0},
	} {
		set, limit := tc.field, tc.field
		Set(&set, 7)
		SetLimit(&limit, 7)
		if set != tc.set || limit != tc.limit {
			t.Errorf("%d became %d and, as a limit, %d; want %d and %d", tc.field, set, limit, tc.set, tc.limit)
		}
	}
}

// A default may itself mean none.
func TestSetNone(t *testing.T) {
	for _, field := range []time.Duration{0, -1} {
		if SetLimit(&field, 0); field != 0 {
			t.Errorf("got %v", field)
		}
	}
}

// Set replaces an empty string by the default.
func TestSetText(t *testing.T) {
	for field, want := range map[string]string{"": "GET", "PUT": "PUT"} {
		if Set(&field, "GET"); field != want {
			t.Errorf("got %q, want %q", field, want)
		}
	}
}
