// Package ci has the tests of .ci/run.
package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test and script of the clone leaves a byte in a file each time it runs. What is flaky fails the first time.
const (
	passing = `package passing
import ("os"; "testing")
func TestAlways(t *testing.T) { f, _ := os.OpenFile("../runs.passing", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); f.Write([]byte{'.'}); f.Close() }`

	flaky = `package flaky
import ("os"; "testing")
func TestAlways(t *testing.T) {}
func TestSometimes(t *testing.T) {
	runs, _ := os.ReadFile("../runs.flaky")
	os.WriteFile("../runs.flaky", append(runs, '.'), 0o600)
	t.Run("part", func(t *testing.T) { if len(runs) == 0 { t.Error("the line was busy") } })
}`

	failing = `package failing
import ("os"; "testing")
func TestNever(t *testing.T) {
	runs, _ := os.ReadFile("../runs.failing")
	os.WriteFile("../runs.failing", append(runs, '.'), 0o600)
	t.Error("the line is dead")
}`

	unbuilt = `package unbuilt
func TestUnbuilt(t *testing.T) {}`

	flakyScript = `#!/bin/sh
printf . >>runs.script
[ "$(cat runs.script)" != . ] || { echo "case 6.5.3: no response"; exit 1; }`

	failingScript = `#!/bin/sh
printf . >>runs.script; echo "case 6.5.3: no response"; exit 1`
)

// A step whose second run passes is ok and listed as flaky, and one that fails again fails the run.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		steps   []string
		fails   bool
		summary string // with times and the texts of failures as …
		runs    map[string]int
	}{
		{
			name:    "all passes",
			files:   map[string]string{"passing/x_test.go": passing},
			steps:   []string{"test"},
			summary: "test ok …",
			runs:    map[string]int{"passing": 1},
		}, {
			name:    "a package passes the second time",
			files:   map[string]string{"passing/x_test.go": passing, "flaky/x_test.go": flaky},
			steps:   []string{"test"},
			summary: "test ok …\nFLAKY example.org/m/flaky TestSometimes\n…the line was busy…",
			runs:    map[string]int{"passing": 1, "flaky": 2},
		}, {
			name:    "a package fails twice, and another does not",
			files:   map[string]string{"failing/x_test.go": failing, "flaky/x_test.go": flaky},
			steps:   []string{"test"},
			fails:   true,
			summary: "test FAILED …\nFLAKY example.org/m/flaky TestSometimes\n…the line was busy…",
			runs:    map[string]int{"failing": 2, "flaky": 2},
		}, {
			name:    "a package does not build",
			files:   map[string]string{"unbuilt/x_test.go": unbuilt, "flaky/x_test.go": flaky},
			steps:   []string{"test"},
			fails:   true,
			summary: "test FAILED …",
			runs:    map[string]int{"flaky": 1},
		}, {
			name:    "a script passes the second time, and a later step fails",
			files:   map[string]string{"scripts/h2spec": flakyScript, "scripts/lint": "#!/bin/sh\nexit 1"},
			steps:   []string{"h2spec", "lint"},
			fails:   true,
			summary: "h2spec ok …\nlint FAILED …\nFLAKY scripts/h2spec\n…case 6.5.3: no response…",
			runs:    map[string]int{"script": 2},
		}, {
			name:    "a script fails twice",
			files:   map[string]string{"scripts/h2spec": failingScript},
			steps:   []string{"h2spec"},
			fails:   true,
			summary: "h2spec FAILED …",
			runs:    map[string]int{"script": 2},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := clone(t, c.files)
			cmd := exec.Command(filepath.Join(dir, ".ci/run"), c.steps...)
			cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
			out, err := cmd.CombinedOutput()
			if failed := err != nil; failed != c.fails {
				t.Errorf("the run ends with %v\n%s", err, out)
			}
			_, summary, _ := strings.Cut(string(out), "s\n\n")
			if !matches(c.summary, summary) {
				t.Errorf("the summary is\n%s\nwant\n%s\nof\n%s", summary, c.summary, out)
			}
			for name, want := range c.runs {
				if runs, _ := os.ReadFile(filepath.Join(dir, "runs."+name)); len(runs) != want {
					t.Errorf("%s ran %d times, want %d\n%s", name, len(runs), want, out)
				}
			}
		})
	}
}

// clone makes a small repository with the scripts under test.
func clone(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	write := func(name string, content []byte) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".ci/run", "scripts/retry"} {
		content, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, content)
	}
	write("go.mod", []byte("module example.org/m\n\ngo 1.26\n"))
	for name, content := range files {
		write(name, []byte(content))
	}
	return dir
}

// matches compares words; … stands for any text.
func matches(pattern, text string) bool {
	quoted := regexp.QuoteMeta(strings.Join(strings.Fields(pattern), " "))
	return regexp.MustCompile("^" + strings.ReplaceAll(quoted, "…", ".*") + "$").MatchString(strings.Join(strings.Fields(text), " "))
}
