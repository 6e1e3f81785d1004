package autobahn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the report says badly of a case must fail, and so must a case that was not played.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	index := `{"someone": {
		"1.1.1": {"behavior": "OK", "behaviorClose": "OK", "remoteCloseCode": 1000},
		"1.1.2": {"behavior": "INFORMATIONAL", "behaviorClose": "INFORMATIONAL", "remoteCloseCode": null},
		"1.1.3": {"behavior": "NON-STRICT", "behaviorClose": "OK", "remoteCloseCode": 1000},
		"1.1.4": {"behavior": "FAILED", "behaviorClose": "OK", "remoteCloseCode": 1007},
		"1.1.5": {"behavior": "OK", "behaviorClose": "UNCLEAN", "remoteCloseCode": null},
		"1.1.6": {"behavior": "OK"}
	}}`
	if err := os.WriteFile(filepath.Join(dir, "index.json"), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := readReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := r.failures([]section{{number: "1", cases: 6}, {number: "2", cases: 11}})
	for i, want := range []string{"1.1.3:", "1.1.4:", "1.1.5:", "1.1.6:", "section 2:"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("line %d does not begin with %q", i, want)
		}
	}
	if len(got) != 5 || !slices.IsSorted(got) {
		t.Errorf("the lines are %q", got)
	}
}
