package http2

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/peerbudget"
)

// The documentation must list every rule that this package enforces, as it is in error_rules.go, and no other.
func TestThePageListsTheRules(t *testing.T) {
	source, err := os.ReadFile("error_rules.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/wire/http2.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for c := ErrCodeNo; c <= ErrCodeHTTP11Required; c++ {
		names[strings.TrimSuffix(strings.ReplaceAll(c.String(), "_", ""), "ERROR")] = c.String()
	}
	want, used := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`refuse\("(\w*)", (\w+), "(.+?)", "(.+?)"\)`).FindAllStringSubmatch(string(source), -1) {
		line := "| " + names[strings.ToUpper(strings.TrimPrefix(m[2], "ErrCode"))] + " | " + m[4] + " | " + m[3] + " |"
		if used[m[1]] || !regexp.MustCompile(`^[a-z0-9_]*$`).MatchString(m[1]) {
			t.Errorf("the name %q is there twice, or is none for a counter", m[1])
		}
		used[m[1]] = true
		if m[1] != "" {
			line += " `" + m[1] + "` |"
		} else {
			line += " |"
		}
		want[line] = true
	}
	if len(want) < 50 {
		t.Fatalf("only %d rules were found", len(want))
	}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if isRule := regexp.MustCompile(`^\| [A-Z_0-9]+ \| .* \| RFC \d+ §[\d.]+ \|`).MatchString(line); isRule && !want[line] {
			t.Errorf("no such rule: %s", line)
		}
		delete(want, line)
	}
	for line := range want {
		t.Errorf("not on the page: %s", line)
	}
}

// The documentation lists all costs, and no other.
func TestThePageListsTheCosts(t *testing.T) {
	page, err := os.ReadFile("../docs/wire/http2.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| PING, answers to a PING that was never sent | 1 |", "| RST_STREAM of a client on a stream that has not ended, and a stream that stalled | 2 |",
		"| a header section beyond the limit, and each CONTINUATION behind it | 20 |", "| 20 ms | 1 |",
	} {
		if !strings.Contains(string(page), line) {
			t.Errorf("not on the page: %s", line)
		}
	}
	if costPing != 1 || costReset != 2 || costStalled != 2 || leastReturn != 64 || earlyStreams != 500 || manyLate != 64 || costListSize != 20 || peerbudget.EarnTime != 20*msec || defaultBudget != 900 {
		t.Error("the page and this test have other figures")
	}
}
