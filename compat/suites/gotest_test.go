package suites

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// result is what one run of go test told.
type result struct {
	passed int      // tests, their parts not counted
	failed []string // likewise
	output string
}

// goTest runs the tests of the packages, all below dir by default, whose names match only; "" is all.
func goTest(t *testing.T, dir, skip, only string, packages ...string) (r result) {
	t.Helper()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	args := append([]string{"test", "-mod=mod", "-vet=off", "-json", "-count=1", "-short", "-timeout", "4m", "-skip", skip, "-run", only}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	_, failed := errors.AsType[*exec.ExitError](err)
	if err != nil && !failed {
		t.Fatal(err)
	}
	var text strings.Builder
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var event struct{ Action, Test, Output string }
		if err := d.Decode(&event); err != nil {
			t.Fatalf("%v in the output of go test; it also said:\n%s", err, stderr.String())
		}
		text.WriteString(event.Output)
		if event.Test == "" || strings.Contains(event.Test, "/") {
			continue
		}
		switch event.Action {
		case "pass":
			r.passed++
		case "fail":
			r.failed = append(r.failed, event.Test)
		}
	}
	r.output = text.String() + stderr.String()
	if failed && len(r.failed) == 0 {
		t.Fatalf("no test is said to have failed, and go test ended with %v:\n%s", err, r.output)
	}
	return r
}

// anyOf is a pattern for tests of these names.
func anyOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }
