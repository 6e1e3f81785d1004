package samples

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rewrite has the golden files written anew.
var rewrite = flag.Bool("rewrite", false, "write testdata anew")

// Golden compares got with a file of testdata, or writes the file with -rewrite.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (- want, + got):\n%s", file, diff)
	}
}
