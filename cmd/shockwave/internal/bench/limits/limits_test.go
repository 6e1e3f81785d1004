package limits_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/samples"
)

// Without an answer no condition on a latency holds.
func TestBenchThresholdsWithoutAnswers(t *testing.T) {
	m := samples.NothingYet()
	if err := m.Fail.Set("p99<1h, max<1h, errors<1%"); err != nil {
		t.Fatal(err)
	}
	r := m.Report()
	if th := r.Thresholds; len(th) != 3 || th[0].Holds || th[1].Holds || !th[2].Holds || th[0].Value != "nothing was answered" {
		t.Errorf("thresholds %+v", th)
	}
}
