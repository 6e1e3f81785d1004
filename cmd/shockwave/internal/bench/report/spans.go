package report

import (
	"math"
)

// Completed returns how many of the requests that were sent were answered or failed.
func (r *Report) Completed() int64 { return r.Requests + r.Errors.Total() - r.Errors.Connect }

// Silences returns the seconds in which connections were open but neither responses nor errors came. It returns nil if
// the expected rate is so low that such seconds are normal.
func (r *Report) Silences() (list []Outage) {
	const slow, few = 0.2e6, 5 // median in µs and rate per second for which a second without responses is normal
	if r.Latency.P50 > slow || r.Requests == 0 || r.Rate > 0 && r.Rate < few {
		return nil
	}
	began := 0.0
	for _, s := range r.FullSeconds() {
		if s.Requests+s.Errors == 0 && s.Open > 0 && s.At-began > 0.5 {
			if n := len(list); n > 0 && list[n-1].To == began {
				list[n-1].To = s.At
			} else {
				list = append(list, Outage{began, s.At})
			}
		}
		began = s.At
	}
	return list
}

// OutageSeconds returns the total time without any connection.
func (r *Report) OutageSeconds() (s float64) {
	for _, o := range r.Outages {
		s += o.To - o.From
	}
	return s
}

// Micros converts nanoseconds to microseconds.
func Micros(ns int64) float64 { return float64(ns) / 1000 }

// PerSecond returns the rate of n events, 0 if there was no time.
func PerSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// FullSeconds returns the seconds of the run, without the last one if it is too short to tell a rate.
func (r *Report) FullSeconds() []Second {
	if n := len(r.Seconds); n > 1 && r.Seconds[n-1].At-r.Seconds[n-2].At < 0.5 {
		return r.Seconds[:n-1]
	}
	return r.Seconds
}

// Length returns the duration of fullSeconds. A value within 50 ms of a whole second is rounded: timers fire a little
// late.
func (r *Report) Length() float64 {
	spans := r.FullSeconds()
	if len(spans) == 0 {
		return 0
	}
	last := spans[len(spans)-1].At
	if whole := math.Round(last); math.Abs(last-whole) < 0.05 {
		return whole
	}
	return last
}

// Rates returns the requests per second of each of fullSeconds.
func (r *Report) Rates() (rates []float64) {
	began := 0.0
	for _, s := range r.FullSeconds() {
		rates = append(rates, PerSecond(s.Requests, s.At-began))
		began = s.At
	}
	return rates
}
