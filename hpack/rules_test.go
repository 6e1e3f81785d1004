package hpack

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

var _ shockwave.ProtocolError = (*Error)(nil)

// The documentation must list every rule that this package enforces, as it is in error.go, and no other.
func TestThePageListsTheRules(t *testing.T) {
	source, err := os.ReadFile("error.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/wire/hpack.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]Kind{"Compression": Compression, "TooLarge": TooLarge}
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`refuse\((\w+), "(.+?)", "(.+?)"\)`).FindAllStringSubmatch(string(source), -1) {
		want["| "+kinds[m[1]].String()+" | "+m[3]+" | "+m[2]+" |"] = true
	}
	if len(want) < 9 {
		t.Fatalf("only %d rules were found", len(want))
	}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if isRule := regexp.MustCompile(`^\| [a-z ]+ \| .* \| RFC \d+ §[\d.]+ \|$`).MatchString(line); isRule && !want[line] {
			t.Errorf("no such rule: %s", line)
		}
		delete(want, line)
	}
	for line := range want {
		t.Errorf("not on the page: %s", line)
	}
}

func TestErrorsTellWhoAndWhy(t *testing.T) {
	if errIndex.Blame() != shockwave.Peer || errIndex.Reference() != "RFC 7541 §2.3.3" || errIndex.Kind != Compression || errTooLarge.Kind != TooLarge {
		t.Errorf("%+v", errIndex)
	}
	if got := errIndex.Error(); got != "hpack: index beyond both tables (RFC 7541 §2.3.3)" {
		t.Error(got)
	}
}
