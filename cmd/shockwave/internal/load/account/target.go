package account

import "time"

// Target has the results for one of several URLs.
type Target struct {
	Requests int64 // successful
	Errors   int64
	Mean     time.Duration // latency of all complete responses
	Max      time.Duration

	answers, sum int64
}

// Record counts a complete response.
func (t *Target) Record(ns int64, right bool) {
	if right {
		t.Requests++
	} else {
		t.Errors++
	}
	t.answers++
	t.sum += ns
	t.Max = max(t.Max, time.Duration(ns))
}

// Fail counts a request without a complete response.
func (t *Target) Fail() { t.Errors++ }

func (t *Target) add(o *Target) {
	t.Requests += o.Requests
	t.Errors += o.Errors
	t.answers += o.answers
	t.sum += o.sum
	t.Mean = time.Duration(t.sum / max(t.answers, 1))
	t.Max = max(t.Max, o.Max)
}
