package autobahn

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// verdict is what the suite says of one case.
type verdict struct {
	Behavior        string `json:"behavior"`
	BehaviorClose   string `json:"behaviorClose"`
	RemoteCloseCode *int   `json:"remoteCloseCode"`
}

// fine tells whether the case has passed.
func (v verdict) fine() bool {
	return passes(v.Behavior) && passes(v.BehaviorClose)
}

func passes(behavior string) bool { return behavior == "OK" || behavior == "INFORMATIONAL" }

func (v verdict) String() string {
	code := "none"
	if v.RemoteCloseCode != nil {
		code = fmt.Sprint(*v.RemoteCloseCode)
	}
	return fmt.Sprintf("%s, closing %s (code %s)", v.Behavior, v.BehaviorClose, code)
}

// report is what index.json says of one agent: verdicts by the case's number, such as "6.4.1".
type report map[string]verdict

// readReport reads the index of a run in which one agent took part.
func readReport(dir string) (report, error) {
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		return nil, err
	}
	var agents map[string]report
	if err := json.Unmarshal(text, &agents); err != nil {
		return nil, err
	}
	if len(agents) != 1 {
		return nil, fmt.Errorf("the report is about %d agents", len(agents))
	}
	for _, r := range agents {
		return r, nil
	}
	return nil, nil
}

// failures returns a line for each case that did not pass and for each section that is not complete.
func (r report) failures(wanted []section) (lines []string) {
	played := map[string]int{}
	for number, v := range r {
		for _, s := range wanted {
			if strings.HasPrefix(number, s.number+".") {
				played[s.number]++
			}
		}
		if !v.fine() {
			lines = append(lines, fmt.Sprintf("%s: %v", number, v))
		}
	}
	slices.Sort(lines)
	for _, s := range wanted {
		if n := played[s.number]; n == 0 || s.cases > 0 && n != s.cases {
			lines = append(lines, fmt.Sprintf("section %s: %d cases were played, it has %d", s.number, played[s.number], s.cases))
		}
	}
	return lines
}

// excuse lets the cases of some sections pass that were not played to their end for want of what they need.
func (r report) excuse(sections ...string) {
	for number, v := range r {
		for _, s := range sections {
			if strings.HasPrefix(number, s+".") && v.Behavior == "UNIMPLEMENTED" {
				v.Behavior = "INFORMATIONAL"
				r[number] = v
			}
		}
	}
}

// judge fails the test for all that is wrong.
func (r report) judge(t *testing.T, wanted []section) {
	t.Helper()
	for _, line := range r.failures(wanted) {
		t.Error(line)
	}
	t.Logf("%d cases", len(r))
}
