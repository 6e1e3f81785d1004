package autobahn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A case that the report says failed, or that was not played, fails the test.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	index := `{"someone": {
		"1.1.1": {"behavior": "OK", "behaviorClose": "OK", "remoteCloseCode": 1000},
		"1.1.2": {"behavior": "INFORMATIONAL", "behaviorClose": "INFORMATIONAL", "remoteCloseCode": null},
		"1.1.3": {"behavior": "NON-STRICT", "behaviorClose": "OK", "remoteCloseCode": 1000},
		"1.1.4": {"behavior": "FAILED", "behaviorClose": "OK", "remoteCloseCode": 1007},
		"1.1.5": {"behavior": "OK", "behaviorClose": "UNCLEAN", "remoteCloseCode": null},
		"1.1.6": {"behavior": "OK"},
		"1.1.7": {"behavior": "ERROR", "behaviorClose": "FAILED", "reportfile": "theirs.json"},
		"1.1.8": {"behavior": "ERROR", "behaviorClose": "FAILED", "reportfile": "ours.json"}
	}}`
	for name, text := range map[string]string{
		"index.json":  index,
		"theirs.json": `{"result": "Strings must be encoded before hashing"}`,
		"ours.json":   `{"result": "the connection was reset"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := readReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := r.failures([]section{{number: "1", cases: 8}, {number: "2", cases: 11}})
	for i, want := range []string{"1.1.3:", "1.1.4:", "1.1.5:", "1.1.6:", "1.1.8:", "section 2:"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("line %d does not begin with %q", i, want)
		}
	}
	if len(got) != 6 || !slices.IsSorted(got) {
		t.Errorf("the lines are %q", got)
	}
}
