package behaviour

import (
	"os"
	"strings"
	"testing"
)

// further reads testdata/further.txt: the identities of rows that no server test of the Go distribution looks at.
func further(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/further.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list[line] = true
		}
	}
	return list
}

// TestFurther: every row of the list is there.
func TestFurther(t *testing.T) {
	list := further(t)
	for _, th := range themes() {
		for _, r := range th.rows {
			delete(list, th.name+"/"+r.name)
		}
	}
	for id := range list {
		t.Errorf("further.txt: there is no row %s", id)
	}
}
