package behaviour

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// reasons are the words that testdata/origins.txt may have in place of themes.
var reasons = map[string]bool{"-client": true, "-handler": true, "-http2": true, "-internal": true, "-skipped": true}

// origins reads testdata/origins.txt: where the behaviours of the Go distribution's tests are, by file and test.
func origins(t *testing.T) map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/origins.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]map[string][]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 3 {
			t.Fatalf("origins.txt: %q says neither a theme nor a reason", strings.TrimSpace(line))
		}
		if files[words[0]] == nil {
			files[words[0]] = map[string][]string{}
		}
		files[words[0]][words[1]] = words[2:]
	}
	return files
}

// Each test of the listed files has its place, and each place exists.
func TestOrigins(t *testing.T) {
	known := map[string]bool{}
	for _, th := range themes() {
		known[th.name] = true
	}
	for file, tests := range origins(t) {
		for test, places := range tests {
			for _, place := range places {
				if !known[place] && !reasons[place] {
					t.Errorf("%s %s: there is no %s", file, test, place)
				}
			}
		}
	}
}

// The list of origins is that of the Go distribution that runs this test, if it is the same version.
func TestOriginsAreWhole(t *testing.T) {
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("the list was made from go1.26")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command to ask for its root")
	}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for file, tests := range origins(t) {
		source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/net/http", file))
		if err != nil {
			t.Skip("this Go distribution comes without its tests")
		}
		there := map[string]bool{}
		for _, match := range declared.FindAllStringSubmatch(string(source), -1) {
			there[match[1]] = true
			if tests[match[1]] == nil {
				t.Errorf("%s: %s has no place", file, match[1])
			}
		}
		for test := range tests {
			if !there[test] {
				t.Errorf("%s: %s is not there any more", file, test)
			}
		}
	}
}
