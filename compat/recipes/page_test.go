package recipes

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// heading is a section of the page, program its Go code.
var (
	heading = regexp.MustCompile(`(?m)^## (.+)$`)
	program = regexp.MustCompile("(?s)```go\n(.*?)```")
)

// programs returns the program of every section that has one.
func programs(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	places := heading.FindAllSubmatchIndex(page, -1)
	for i, at := range places {
		end := len(page)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		for _, m := range program.FindAllSubmatch(page[at[0]:end], -1) {
			found[string(page[at[2]:at[3]])] += string(m[1])
		}
	}
	return found
}

// build compiles the program of a section, in which some strings are replaced, within this module.
func build(t *testing.T, section string, replacements ...string) (path string) {
	t.Helper()
	source := programs(t)[section]
	if source == "" {
		t.Fatalf("the page has no program in the section %q", section)
	}
	if tidy, err := format.Source([]byte(source)); err != nil || !bytes.Equal(tidy, []byte(source)) {
		t.Errorf("gofmt would change the program of %q: %v", section, err)
	}
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(source, replacements[i]) {
			t.Fatalf("the program of %q has no %s", section, replacements[i])
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(replacements...).Replace(source)), 0o600); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "program")
	if out, err := exec.Command("go", "build", "-o", path, file).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
