package suites

import (
	"path/filepath"
	"slices"
	"testing"
)

// suite is one module's tests.
type suite struct {
	module   string
	version  string            // "" is the one that compat requires
	packages []string          // patterns; nil is all
	named    []string          // files that have the server or the transport of the tests
	ways     []way             // nil is onServer
	edits    []edit            // for our Transport
	skip     string            // a pattern of tests that need what is not here
	differs  map[string]string // tests that fail on ours, and why
}

var suites = []suite{
	{module: "github.com/go-chi/chi/v5"},
	{module: "github.com/gorilla/mux"},
	{module: "github.com/gorilla/handlers", skip: "^TestHeaderWrites$"}, // asks a site in the internet
	{module: "github.com/gorilla/websocket", differs: map[string]string{
		"TestProxyDial":              "the proxy responds to CONNECT without taking the connection over: behind a 2xx is the tunnel",
		"TestProxyAuthorizationDial": "likewise",
	}},
	{module: "connectrpc.com/connect", packages: []string{"."}, named: inMemory},
	{module: "connectrpc.com/connect", packages: []string{"."}, ways: []way{onTransport}, named: inMemory, skip: connectRace, edits: connectClients},
	// TestHTTPCallGetBody goes on until a request must be sent again. Between a server and a client of ours none must.
	{module: "connectrpc.com/connect", packages: []string{"."}, ways: []way{onBoth}, named: inMemory,
		skip: connectRace + "|^TestHTTPCallGetBody$", edits: connectClients},
	{module: "github.com/distribution/distribution/v3", version: "v3.1.2", packages: []string{"./registry/handlers"},
		// They pass, and take two minutes for their keys.
		skip: "^(TestCatalogAPI|TestTagsAPI.*|TestManifestDelete|TestRelativeURL|TestManifestAPI_DeleteTag.*)$"},
	{module: "github.com/goproxy/goproxy", version: "v0.18.0", packages: []string{"."}, differs: map[string]string{
		"TestHTTPGet": "CloseClientConnections resets connections with an unanswered request: the client's error is that",
	}},
	{module: "github.com/johannesboyne/gofakes3", version: "v1.2.0", packages: []string{"."}},
	{module: "github.com/klauspost/compress", packages: []string{"./gzhttp"}, ways: []way{onServer, onTransport, onBoth}},
	// A session that has got its upgrade and is not registered yet misses what is sent to all, and waits for ever.
	{module: "github.com/olahol/melody", version: "v1.1.4", skip: "^Test(Broadcast|Close)$"},
	{module: "github.com/tus/tusd/v2", version: "v2.9.1", packages: []string{"./pkg/handler", "./pkg/filestore"}},
}

// inMemory is connect's server in memory with its client.
var inMemory = []string{"internal/memhttp/memhttp.go"}

// connectRace sends in two pieces to a server that has responded at once. Whether the second one fails is a race.
const connectRace = "^TestHandlerWithRequestGate$/^gates_streaming_procedures$"

var connectClients = []edit{
	{"client_ext_test.go", "client := svr.Client()", "client := &http.Client{Transport: new(nethttp.Transport)}"},
	{"duplex_http_call_test.go", "client := server.Client()", "client := &http.Client{Transport: new(nethttp.Transport)}"},
}

// edit is a place in a test that takes the Transport from net/http's server, of whose type ours is not.
type edit struct{ file, from, to string }

// tries is how often a test may fail: some depend on time, on whichever server they run.
const tries = 3

// The tests of other projects pass on nethttp/nethttptest.
func TestSuites(t *testing.T) {
	for _, s := range suites {
		if s.ways == nil {
			s.ways = []way{onServer}
		}
		for _, w := range s.ways {
			t.Run(s.module+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				s.run(t, w)
			})
		}
	}
}

func (s *suite) run(t *testing.T, w way) {
	dir := s.copy(t, w)
	first := goTest(t, dir, s.skip, "", s.packages...)
	if first.passed == 0 {
		t.Fatalf("no test has passed:\n%s", first.output)
	}
	failed := first.failed
	for range tries - 1 {
		if slices.Sort(failed); len(failed) > 0 {
			failed = goTest(t, dir, s.skip, anyOf(failed), s.packages...).failed
		}
	}
	for _, name := range failed {
		if s.differs[name] == "" && !slices.Contains(s.onStandard(t, name).failed, name) {
			t.Errorf("%s fails:\n%s", name, goTest(t, dir, s.skip, anyOf([]string{name}), s.packages...).output)
		}
	}
	for name := range s.differs {
		if !slices.Contains(failed, name) {
			t.Errorf("%s is marked as differing and passes", name)
		}
	}
	t.Logf("%d tests pass, %d fail: %v", first.passed, len(failed), failed)
}

// onStandard runs one test as it is, on net/http.
func (s *suite) onStandard(t *testing.T, name string) result {
	return goTest(t, s.copy(t, way{}), s.skip, anyOf([]string{name}), s.packages...)
}

// copy copies the module to a folder of its own, for its tests to run on what w says, and returns where it is.
func (s *suite) copy(t *testing.T, w way) string {
	from := download(t, s.module, s.version)
	to := filepath.Join(t.TempDir(), "module")
	if changed := s.copyModule(t, from, to, w); changed == 0 && w != (way{}) {
		t.Fatalf("no file of %s has what runs on our %s", from, w.name)
	}
	useOurs(t, to)
	return to
}
