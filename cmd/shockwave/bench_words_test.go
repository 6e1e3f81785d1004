package main

import "testing"

func TestFigures(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(1000), "1,000"}, {grouped(-1234567), "-1,234,567"},
		{microseconds(0), "0"}, {microseconds(0.25), "250 ns"}, {microseconds(0.0999), "99.9 ns"}, {microseconds(9.999), "10.0 µs"},
		{microseconds(312.4), "312 µs"}, {microseconds(999.6), "1.00 ms"}, {microseconds(4213), "4.21 ms"},
		{microseconds(99_960), "100 ms"}, {microseconds(1.5e6), "1.50 s"}, {roundMicroseconds(2500), "2.5 ms"}, {microseconds(100e6), "100 s"},
		{ratePerSecond(0.5), "0.5"}, {ratePerSecond(12.345), "12.3"}, {ratePerSecond(182345.4), "182,345"},
		{percent(0, 10), "0 %"}, {percent(1, 100_000), "under 0.1 %"}, {percent(99_999, 100_000), "over 99.9 %"},
		{percent(1, 8), "12 %"}, {percent(1, 40), "2.5 %"}, {percent(5, 5), "100 %"}, {percent(0, 0), "0 %"},
		{counted(1, "error", "errors"), "1 error"}, {counted(2000, "error", "errors"), "2,000 errors"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
