package result

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// A summary has the median, the range and the number of figures, and leaves the caller's figures in order.
func TestSummarize(t *testing.T) {
	for _, tc := range []struct {
		figures []float64
		want    Summary
	}{
		{nil, Summary{}},
		{[]float64{7}, Summary{7, 7, 7, 1}},
		{[]float64{9, 1}, Summary{5, 1, 9, 2}},
		{[]float64{5, 100, 1}, Summary{5, 1, 100, 3}},
		{[]float64{4, 1, 3, 2}, Summary{2.5, 1, 4, 4}},
	} {
		if got := Summarize(tc.figures); got != tc.want {
			t.Errorf("the summary of %v is %v, want %v", tc.figures, got, tc.want)
		}
	}
	figures := []float64{3, 1, 2}
	Summarize(figures)
	if figures[0] != 3 {
		t.Error("the caller's figures were sorted")
	}
}

// The ratio compares figures of the same round, so a machine that gets slower does not change it.
func TestRatioIsOfTheSameRound(t *testing.T) {
	s := &Scenario{}
	for round, slow := range []float64{1, 10, 100} {
		s.Samples = append(s.Samples,
			Sample{round + 1, "a", Values{"cpu": 2 * slow}},
			Sample{round + 1, "b", Values{"cpu": 4 * slow}})
	}
	s.Samples = append(s.Samples, Sample{4, "a", Values{"cpu": 1}}, Sample{5, "a", Values{"cpu": 1}},
		Sample{5, "b", Values{"cpu": 0}}, Sample{6, "b", Values{"cpu": 1}}, Sample{6, "a", Values{}})
	if got, want := s.Ratio("a", "b", "cpu"), (Summary{0.5, 0.5, 0.5, 3}); got != want {
		t.Errorf("a to b is %v, want %v: rounds that lack one of them do not count", got, want)
	}
	if got := s.Ratio("a", "nobody", "cpu"); got.N != 0 {
		t.Errorf("a to nobody is %v, want nothing", got)
	}
	if got, want := s.Of("b", "cpu"), (Summary{4, 0, 400, 5}); got != want {
		t.Errorf("b is %v, want %v", got, want)
	}
}

func run(day int, command string) Run {
	return Run{Date: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC), Command: command}
}

func scenario(name string, figure float64, peers ...string) Scenario {
	s := Scenario{Name: name}
	for _, p := range peers {
		s.Samples = append(s.Samples, Sample{1, p, Values{"cpu": figure}})
	}
	return s
}

// Merge replaces the scenarios that the other file has, keeps the rest, and drops runs without scenarios.
func TestMergeTakesTheOthersScenarios(t *testing.T) {
	old, part := new(File), new(File)
	old.Put(run(1, "all"), scenario("one", 1, "a", "b"))
	old.Put(run(1, "all"), scenario("two", 1, "a", "b"))
	part.Put(run(2, "part"), scenario("two", 2, "a"))
	part.Put(run(2, "part"), scenario("a third", 2, "a"))
	old.Merge(part)

	var names []string
	for _, s := range old.Scenarios {
		names = append(names, s.Name)
	}
	if want := []string{"a third", "one", "two"}; !reflect.DeepEqual(names, want) {
		t.Errorf("scenarios are %q, want %q", names, want)
	}
	if two := old.Find("two"); two.Has("b") || two.Of("a", "cpu").Median != 2 || old.Runs[two.Run].Command != "part" {
		t.Errorf("two is %+v, want what the part measured, and nothing of before", two)
	}
	if one := old.Find("one"); !one.Has("b") || old.Runs[one.Run].Command != "all" {
		t.Errorf("one is %+v, want it as it was", one)
	}
	if len(old.Runs) != 2 {
		t.Errorf("runs are %v, want both", old.Runs)
	}
	old.Put(run(3, "rest"), scenario("one", 3, "a"))
	if _, kept := old.Runs["2026-01-01T00:00:00Z"]; kept || len(old.Runs) != 2 {
		t.Errorf("runs are %v, want none that nothing is left of", old.Runs)
	}
}

// A file that is written is read as it was, and one that does not exist has no results.
func TestFilesComeBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "below", "results.json")
	if f, err := Read(name); err != nil || len(f.Scenarios) > 0 {
		t.Fatalf("a file that is not there: %v, %v; want no results", f, err)
	}
	f := &File{Suite: "s"}
	f.Put(run(1, "all"), scenario("one", 1.25, "a"))
	if err := f.Write(name); err != nil {
		t.Fatal(err)
	}
	got, err := Read(name)
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("read %+v, %v; want %+v", got, err, f)
	}
}

// The description of this machine has no empty field.
func TestThisMachineSaysSomething(t *testing.T) {
	m := ThisMachine()
	if m.CPU == "" || m.Cores < 1 || m.System == "" || m.Memory == "" {
		t.Errorf("the machine is %+v", m)
	}
}
