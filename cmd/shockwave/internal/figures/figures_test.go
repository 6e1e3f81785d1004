package figures

import (
	"testing"
)

// Numbers, times, rates and shares are written with the right digits and units.
func TestFigures(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{Grouped(0), "0"}, {Grouped(999), "999"}, {Grouped(1000), "1,000"}, {Grouped(-1234567), "-1,234,567"},
		{Microseconds(0), "0"}, {Microseconds(0.25), "250 ns"}, {Microseconds(0.0999), "99.9 ns"}, {Microseconds(9.999), "10.0 µs"},
		{Microseconds(312.4), "312 µs"}, {Microseconds(999.6), "1.00 ms"}, {Microseconds(4213), "4.21 ms"},
		{Microseconds(99_960), "100 ms"}, {Microseconds(1.5e6), "1.50 s"}, {RoundMicroseconds(2500), "2.5 ms"}, {Microseconds(100e6), "100 s"},
		{RatePerSecond(0.5), "0.5"}, {RatePerSecond(12.345), "12.3"}, {RatePerSecond(182345.4), "182,345"},
		{Percent(0, 10), "0 %"}, {Percent(1, 100_000), "under 0.1 %"}, {Percent(99_999, 100_000), "over 99.9 %"},
		{Percent(1, 8), "12 %"}, {Percent(1, 40), "2.5 %"}, {Percent(5, 5), "100 %"}, {Percent(0, 0), "0 %"},
		{Counted(1, "error", "errors"), "1 error"}, {Counted(2000, "error", "errors"), "2,000 errors"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
