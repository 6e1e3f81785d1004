package suites

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// suite is one module's tests.
type suite struct {
	module  string
	skip    string            // a pattern of tests that need what is not here
	differs map[string]string // tests that fail on our server, and why
}

var suites = []suite{
	{module: "github.com/go-chi/chi/v5"},
	{module: "github.com/gorilla/mux"},
	{module: "github.com/gorilla/handlers", skip: "^TestHeaderWrites$"}, // asks a site in the internet
	{module: "github.com/gorilla/websocket", differs: map[string]string{
		"TestProxyDial":              "the proxy answers CONNECT without taking the connection over: behind a 2xx is the tunnel",
		"TestProxyAuthorizationDial": "likewise",
	}},
}

// tries is how often a test may fail: some depend on time, on whichever server they run.
const tries = 3

func TestSuites(t *testing.T) {
	for _, s := range suites {
		t.Run(s.module, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

func (s *suite) run(t *testing.T) {
	dir := s.copy(t)
	first := goTest(t, dir, s.skip, "")
	if first.passed == 0 {
		t.Fatalf("no test has passed:\n%s", first.output)
	}
	failed := first.failed
	for range tries - 1 {
		if slices.Sort(failed); len(failed) > 0 {
			failed = goTest(t, dir, s.skip, anyOf(failed)).failed
		}
	}
	for _, name := range failed {
		if s.differs[name] == "" && !slices.Contains(s.onStandard(t, name).failed, name) {
			t.Errorf("%s fails:\n%s", name, goTest(t, dir, s.skip, anyOf([]string{name})).output)
		}
	}
	for name := range s.differs {
		if !slices.Contains(failed, name) {
			t.Errorf("%s is marked as differing and passes", name)
		}
	}
	t.Logf("%d tests pass, %d fail: %v", first.passed, len(failed), failed)
}

// onStandard runs one test as it is, on net/http's server.
func (s *suite) onStandard(t *testing.T, name string) result {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return goTest(t, dir, s.skip, anyOf([]string{name}), s.module+"/...")
}

// copy copies the module, with the other import, to a workspace of its own beside ours and returns where it is.
func (s *suite) copy(t *testing.T) string {
	from := moduleDir(t, s.module)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	workspace := t.TempDir()
	to := filepath.Join(workspace, "module")
	if changed := copyModule(t, from, to); changed == 0 {
		t.Fatalf("no file of %s imports %s", from, theirImport)
	}
	work := fmt.Sprintf("go 1.26.0\n\nuse (\n\t./module\n\t%s\n\t%s\n)\n", root, filepath.Join(root, "compat"))
	write(t, filepath.Join(workspace, "go.work"), []byte(work))
	return to
}
