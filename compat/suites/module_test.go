package suites

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	theirImport = `"net/http/httptest"`
	ourImport   = `httptest "github.com/shockwave-go/shockwave/nethttp/nethttptest"`
)

// moduleDir is where the version of a module that compat requires lies.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// copyModule copies the files of a module, nested modules aside, and gives its tests our import. It returns how many
// files that has changed.
func copyModule(t *testing.T, from, to string) (changed int) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel != "." && isModule(path):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.go") && bytes.Contains(text, []byte("\t"+theirImport)) {
			text = bytes.Replace(text, []byte(theirImport), []byte(ourImport), 1)
			changed++
		}
		write(t, filepath.Join(to, rel), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
