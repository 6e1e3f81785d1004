package suites

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// way says what of ours a suite runs on in place of net/http's.
type way struct {
	name      string
	server    bool
	transport bool
}

var (
	onServer    = way{"server", true, false}
	onTransport = way{"transport", false, true}
	onBoth      = way{"both", true, true}
)

const (
	theirHTTP     = `"net/http"` + "\n"
	ourHTTP       = theirHTTP + "\t" + `"github.com/shockwave-go/shockwave/nethttp"` + "\n"
	theirHTTPTest = `"net/http/httptest"`
	ourHTTPTest   = `httptest "github.com/shockwave-go/shockwave/nethttp/nethttptest"`
)

var (
	serverType    = regexp.MustCompile(`\bhttp\.Server\b`)
	transportType = regexp.MustCompile(`\bhttp\.Transport\b`)
	packageClause = regexp.MustCompile(`(?m)^package (\w+)`)
)

// download returns where a version of a module lies: the one that compat requires if version is empty.
func download(t *testing.T, module, version string) (dir string) {
	t.Helper()
	if version == "" {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		version = strings.TrimSpace(string(out))
	}
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(out, &got) != nil || got.Dir == "" {
		t.Fatalf("%s@%s: got %v, %s", module, version, err, got.Error)
	}
	return got.Dir
}

// copyModule copies the files of a module, nested modules aside, so that its tests run on what w says. It returns how many
// files that has changed.
func (s *suite) copyModule(t *testing.T, from, to string, w way) (changed int) {
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
		isNamed := slices.Contains(s.named, filepath.ToSlash(rel))
		if isNamed || strings.HasSuffix(path, "_test.go") {
			swapped := w.swap(s.edit(text, rel, w), isNamed)
			if w.transport && !isNamed && bytes.Contains(text, []byte(theirHTTP)) {
				write(t, filepath.Join(to, filepath.Dir(rel), "default_transport_test.go"), defaultTransport(text))
			}
			if !bytes.Equal(swapped, text) {
				text = swapped
				changed++
			}
		}
		write(t, filepath.Join(to, rel), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// edit makes the edits of a file.
func (s *suite) edit(text []byte, file string, w way) []byte {
	for _, e := range s.edits {
		if w.transport && e.file == filepath.ToSlash(file) {
			text = bytes.Replace(text, []byte(e.from), []byte(e.to), 1)
		}
	}
	return text
}

// swap replaces in a file what w says. The type of the server is replaced in named files only: tests hand theirs to code
// that wants net/http's.
func (w way) swap(text []byte, isNamed bool) []byte {
	before := text
	if w.server && isNamed {
		text = serverType.ReplaceAll(text, []byte("nethttp.Server"))
	}
	if w.transport {
		text = transportType.ReplaceAll(text, []byte("nethttp.Transport"))
	}
	if !bytes.Equal(text, before) {
		text = bytes.Replace(text, []byte(theirHTTP), []byte(ourHTTP), 1)
	}
	if w.server {
		text = bytes.Replace(text, []byte("\t"+theirHTTPTest), []byte("\t"+ourHTTPTest), 1)
	}
	return text
}

// defaultTransport is a file that makes our Transport http.DefaultTransport, for the package of a test.
func defaultTransport(test []byte) []byte {
	name := packageClause.FindSubmatch(test)[1]
	return fmt.Appendf(nil, "package %s\n\nimport (\n\t\"net/http\"\n\n\t\"github.com/shockwave-go/shockwave/nethttp\"\n)\n\n"+
		"func init() { http.DefaultTransport = &nethttp.Transport{Proxy: http.ProxyFromEnvironment} }\n", name)
}

// useOurs adds this module to the go.mod and go.sum of the module in dir.
func useOurs(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const ours = "github.com/shockwave-go/shockwave"
	cmd := exec.Command("go", "mod", "edit", "-require", ours+"@v0.0.0", "-replace", ours+"="+root)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var sums []byte
	for _, name := range []string{filepath.Join(dir, "go.sum"), filepath.Join(root, "go.sum"), filepath.Join(root, "compat", "go.sum")} {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		sums = append(sums, text...)
	}
	write(t, filepath.Join(dir, "go.sum"), sums)
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
