package program

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	// What the program is made of: go test uses an old result for a test binary made of the same packages.
	_ "github.com/shockwave-go/shockwave/client"
	_ "github.com/shockwave-go/shockwave/http3"
	_ "github.com/shockwave-go/shockwave/nethttp"
	_ "github.com/shockwave-go/shockwave/server"
	_ "github.com/shockwave-go/shockwave/websocket"
)

const name = "shockwave"

// built is the program shockwave, which the first test that needs it builds.
var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Shockwave returns the path of the program shockwave, built for this test binary: with the race detector if that has it.
// The tests' TestMain must be Main, which removes it.
func Shockwave(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", name); built.err == nil {
			built.path, built.err = Build(built.dir)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// Build builds the program shockwave in a folder.
func Build(dir string) (path string, err error) {
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "../../..")
	path = filepath.Join(dir, name)
	args := append([]string{"build", "-C", root, "-o", path}, raceFlag...)
	if out, err := exec.Command("go", append(args, "./cmd/shockwave")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w: %s", err, out)
	}
	return path, nil
}

// Main runs the tests of a package that uses Shockwave, and removes the program in the end. It runs more tests at once than
// there are processors: they wait for peers more than they compute.
func Main(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "16")
	}
	code := m.Run()
	os.RemoveAll(built.dir)
	os.Exit(code)
}
