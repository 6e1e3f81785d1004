package http2

import "testing"

// A shorter sample is taken at once, a longer one by an eighth, and zero counts as 1 ns.
func TestRoundTripSamples(t *testing.T) {
	var r roundTrip
	for i, s := range []struct{ sample, want int64 }{{800, 800}, {400, 400}, {400, 400}, {480, 410}, {0, 1}, {-5, 1}, {81, 11}, {11, 11}, {10, 10}} {
		if r.sample(s.sample); r.rtt != s.want {
			t.Errorf("%d: after %d it is %d, want %d", i, s.sample, r.rtt, s.want)
		}
	}
}

// A window is doubled, up to its limit, if enough of it is used up within the round trip.
func TestGrowthOfWindows(t *testing.T) {
	for _, c := range []struct {
		name        string
		rtt         int64
		most        uint32
		size, spent int32
		since, now  int64
		want        int32
	}{
		{"no round trip yet", 0, 5000, 1000, 500, 0, 1, 1000},
		{"all of it within four round trips", 100, 5000, 1000, 1000, 50, 450, 2000},
		{"all of it a little later", 100, 5000, 1000, 1000, 50, 454, 1000},
		{"half of it within two", 100, 5000, 1000, 500, 0, 203, 2000},
		{"half of it later", 100, 5000, 1000, 500, 0, 204, 1000},
		{"up to the limit", 100, 1500, 1000, 1000, 0, 1, 1500},
		{"not beyond", 100, 1500, 1500, 1000, 0, 1, 1500},
		{"above the limit", 100, 1500, 2000, 1000, 0, 1, 2000},
	} {
		w := receiveWindow{max: c.size, consumed: c.spent, updatedAt: c.since}
		if got := w.grown(c.most, c.rtt, c.now); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// No WINDOW_UPDATE is sent if by content-length the rest of the body fits into the window and leaves room there. If no
// room is left, a peer may wait with an END_STREAM without data.
func TestNoWindowForAWholeBody(t *testing.T) {
	for _, c := range []struct {
		length string
		says   []string
	}{
		{"999", nil}, {"1000", []string{"WINDOW_UPDATE 1 600"}}, {"1001", []string{"WINDOW_UPDATE 1 600"}},
	} {
		tk := server(t, Config{InitialWindow: 1000})
		tk.send(tk.post(1, "content-length: "+c.length) + data(1, 0, string(make([]byte, 600))))
		tk.want("Headers 1 POST https example.com / content-length=" + c.length)
		tk.next()
		tk.c.Consumed(streamOf(tk.c, 1), 600, tk.now+second)
		tk.says(c.says...)
	}
}
