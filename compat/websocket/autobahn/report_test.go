package autobahn

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// verdict is what the suite says of one case.
type verdict struct {
	Behavior        string `json:"behavior"`
	BehaviorClose   string `json:"behaviorClose"`
	RemoteCloseCode *int   `json:"remoteCloseCode"`
	File            string `json:"reportfile"` // of the case
}

// fine reports whether the case has passed.
func (v verdict) fine() bool {
	return passes(v.Behavior) && passes(v.BehaviorClose)
}

func passes(behavior string) bool {
	return behavior == "OK" || behavior == "INFORMATIONAL" || behavior == unjudged
}

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
		return r, r.acquit(dir)
	}
	return nil, nil
}

// unjudged is what becomes of a case at which the suite itself has failed.
const unjudged = "UNJUDGED"

// acquit marks the cases at which kosoku has failed: it cannot take a text that comes back uncompressed, as one does
// that by itself becomes no shorter (RFC 7692 §6 lets it). The original can.
func (r report) acquit(dir string) error {
	for number, v := range r {
		if v.Behavior != "ERROR" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, v.File))
		if err != nil {
			return err
		}
		var about struct{ Result string }
		if err := json.Unmarshal(text, &about); err != nil {
			return err
		}
		if about.Result == "Strings must be encoded before hashing" {
			v.Behavior, v.BehaviorClose = unjudged, unjudged
			r[number] = v
		}
	}
	return nil
}

// failures returns a line for each case that did not pass and for each section that is not complete.
func (r report) failures(wanted []section) (lines []string) {
	played := map[string]int{}
	for number, v := range r {
		for _, s := range wanted {
			if s.has(number) {
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

// judge fails the test for all that is wrong.
func (r report) judge(t *testing.T, wanted []section) {
	t.Helper()
	for _, line := range r.failures(wanted) {
		t.Error(line)
	}
	n := 0
	for _, v := range r {
		if v.Behavior == unjudged {
			n++
		}
	}
	t.Logf("%d cases", len(r))
	if n > 0 {
		t.Logf("%d of them kosoku cannot judge, and the original can", n)
	}
}
