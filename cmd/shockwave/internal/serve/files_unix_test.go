//go:build unix

package serve

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// A file name that is not UTF-8 is listed and served.
func TestFilesWithNamesThatAreNotUTF8(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a\xff.txt"), []byte("here"), 0o644); err != nil {
		t.Skip(err) // not every file system takes such names
	}
	r := clitest.Serve(t, Options{dir: dir})
	if _, page := r.Do("GET", "/"); !strings.Contains(page, "./a%FF.txt") {
		t.Errorf("the listing does not link to the file:\n%s", page)
	}
	if resp, body := r.Do("GET", "/a%FF.txt"); resp.StatusCode != 200 || body != "here" {
		t.Errorf("GET /a%%FF.txt: %s, %q", resp.Status, body)
	}
	for _, path := range []string{"/%FF/../a%FF.txt", "/%FF/..%2Fa%FF.txt", "/.%FF", "/a%FF.txt/"} {
		if resp, _ := r.Do("GET", path); resp.StatusCode == 200 {
			t.Errorf("GET %s: %s", path, resp.Status)
		}
	}
}

// A named pipe is not opened.
func TestFilesDoNotOpenPipes(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := clitest.Serve(t, Options{dir: dir})
	if resp, _ := r.Do("GET", "/pipe"); resp.StatusCode != 404 {
		t.Errorf("GET /pipe: %s, want 404", resp.Status)
	}
}
