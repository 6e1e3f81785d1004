package behaviour

import (
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
)

// row is one behaviour. It has either handler and say, or play.
type row struct {
	name string // what is so, in a few words; unique within its theme

	handler http.HandlerFunc
	say     string // sent on one connection; a request for /after is sent behind it, see converse
	play    func(*scene)

	want    string // a part of what is recorded on net/http's server
	ours    string // a part of what is recorded on ours, if it differs
	differs string // why; empty if ours must record the same as net/http's
	latched bool   // it differs on the latched serve loop only
}

// theme is a group of rows: a line of the table in docs/nethttp-differences.md.
type theme struct {
	name  string // an identity: a word for names of tests
	title string // for the page
	rows  []row
}

// themes are all of them, in the page's order.
func themes() []theme {
	return []theme{
		{"heads", "Heads of requests: what is read, what is refused", headRows()},
		{"targets", "Targets, hosts, methods and versions", targetRows()},
		{"bodies", "Bodies of requests", bodyRows()},
		{"chunks", "Chunked bodies and trailers of requests", chunkRows()},
		{"expect", "100-continue and other 1xx", expectRows()},
		{"writing", "Writing a response: status, fields, order of calls", writeRows()},
		{"lengths", "Content-Length, chunks, flushing", lengthRows()},
		{"sniffing", "Content-Type", sniffRows()},
		{"bodiless", "HEAD, 204, 304 and CONNECT", bodilessRows()},
		{"trailers", "Trailers of responses", trailerRows()},
		{"keepalive", "Keep-alive and closing", keepAliveRows()},
		{"limits", "Limits", limitRows()},
		{"timeouts", "Timeouts and deadlines", timeoutRows()},
		{"panics", "Panics and the log", panicRows()},
		{"hijack", "Hijack and upgrades", hijackRows()},
		{"context", "Contexts and clients that leave", contextRows()},
		{"duplex", "Reading and writing at the same time", duplexRows()},
		{"forms", "Forms, queries, cookies", formRows()},
		{"mux", "ServeMux, redirects, wrappers of handlers", muxRows()},
		{"files", "Files", fileRows()},
		{"tls", "TLS", tlsRows()},
		{"states", "Connection states and hooks", stateRows()},
		{"shutdown", "Serve, Shutdown and Close", shutdownRows()},
	}
}

// Each row behaves on our server as on net/http's, except for the differences that are named.
func TestBehaviours(t *testing.T) {
	t.Parallel()
	for _, th := range themes() {
		t.Run(th.name, func(t *testing.T) {
			for _, r := range th.rows {
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					r.judge(t)
				})
			}
		})
	}
}

// latched reports whether our connections run on the latched serve loop.
func latched() bool { return runtime.GOOS == "linux" && os.Getenv("SHOCKWAVE_LOOP") != "plain" }

// judge watches the row on both servers and compares.
func (r *row) judge(t *testing.T) {
	if r.latched && !latched() {
		t.Skip("this differs on the latched serve loop only")
	}
	std, ours := r.watch(t, false, 1).record(), r.watch(t, true, 1).record()
	if r.want == "" || !strings.Contains(std, r.want) {
		t.Errorf("net/http:\n%s\nthe row wants a part that reads:\n%s", std, r.want)
	}
	switch {
	case r.differs == "" && std != ours:
		t.Errorf("net/http:\n%s\nnethttp:\n%s", std, ours)
	case r.differs != "" && std == ours:
		t.Errorf("marked as differing, but both servers do this:\n%s", ours)
	case r.differs != "" && (r.ours == "" || !strings.Contains(ours, r.ours)):
		t.Errorf("nethttp:\n%s\nthe row wants a part that reads:\n%s", ours, r.ours)
	}
}

// watch runs the row against one of the servers and returns the scene, which has ended, with its record.
func (r *row) watch(t *testing.T, ours bool, version int) *scene {
	s := newScene(t, ours, version)
	r.run(s)
	return s
}

// run runs the row in a scene.
func (r *row) run(s *scene) {
	s.t.Helper()
	defer s.end()
	defer func() {
		if s.only1 != "" {
			s.t.Errorf("HTTP/%d has no words for %q", s.version, s.only1)
		}
	}()
	if r.play != nil {
		r.play(s)
		return
	}
	s.serve(after(r.handler))
	s.converse(r.say)
}

// Each row has a name of its own, so that the page and the list of origins can refer to it.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, th := range themes() {
		for _, r := range th.rows {
			id := th.name + "/" + r.name
			if seen[id] {
				t.Errorf("%s: there twice", id)
			}
			seen[id] = true
			if (r.play == nil) == (r.handler == nil) {
				t.Errorf("%s: a row has either a play or a handler", id)
			}
		}
	}
}
