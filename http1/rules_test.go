package http1

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page for users lists every rule that this package enforces, as it is in error.go, and no other.
func TestThePageListsTheRules(t *testing.T) {
	source, err := os.ReadFile("error.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/wire/http1.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`refuse\((\d+), "(.+?)", "(.+?)"\)`).FindAllStringSubmatch(string(source), -1) {
		want["| "+m[1]+" | "+m[3]+" | "+m[2]+" |"] = true
	}
	if len(want) < 40 {
		t.Fatalf("only %d rules were found", len(want))
	}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if isRule := regexp.MustCompile(`^\| \d+ \| .* \| RFC \d+ §[\d.]+ \|$`).MatchString(line); isRule && !want[line] {
			t.Errorf("no such rule: %s", line)
		}
		delete(want, line)
	}
	for line := range want {
		t.Errorf("not on the page: %s", line)
	}
}
