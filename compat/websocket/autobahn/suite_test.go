package autobahn

import (
	"encoding/json"
	"flag"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// Both suites have the same cases and write the same report.
var suiteName = flag.String("suite", "kosoku", "program that plays the cases: kosoku, or wstest of the original autobahntestsuite")

// suitePatience is how long an act may take on a busy machine.
const suitePatience = 30 * time.Minute

// playClient has the suite play the client of the server at addr.
func playClient(t *testing.T, addr string, wanted []section) report {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-m", "fuzzingclient"}
	if *suiteName == "wstest" {
		args = append(args, "-s", writeSpec(t, map[string]any{
			"outdir": dir, "servers": []any{map[string]any{"agent": agent, "url": "ws://" + addr}},
			"cases": patterns(wanted), "exclude-cases": []string{}, "exclude-agent-cases": map[string]any{},
		}))
	} else {
		args = append(args, "-p", "4", "-o", dir)
		for _, pattern := range patterns(wanted) {
			args = append(args, "-i", pattern)
		}
		args = append(args, addr)
	}
	p := program.Start(t, program.Find(t, *suiteName), args...)
	p.Wait(suitePatience) // an error says that cases have failed; the report says which
	r, err := readReport(dir)
	if err != nil {
		t.Fatalf("%v:\n%s", err, p.Said())
	}
	return r
}

// suiteServer is the suite as a server.
type suiteServer struct {
	*program.Program
	url string // ws://127.0.0.1:port
	dir string // where the report will be
}

// startServer has the suite play the server.
func startServer(t *testing.T, wanted []section) *suiteServer {
	t.Helper()
	s := &suiteServer{dir: t.TempDir()}
	path := program.Find(t, *suiteName)
	if *suiteName == "wstest" {
		addr := freeAddr(t)
		s.url = "ws://" + addr
		s.Program = program.Start(t, path, "-m", "fuzzingserver", "-s", writeSpec(t, map[string]any{
			"outdir": s.dir, "url": s.url, "webport": 0,
			"cases": patterns(wanted), "exclude-cases": []string{}, "exclude-agent-cases": map[string]any{},
		}))
		for s.After("Ok, will run"); t.Context().Err() == nil; time.Sleep(10 * time.Millisecond) { // it listens a little later
			if c, err := net.Dial("tcp", addr); err == nil {
				c.Close()
				break
			}
		}
		return s
	}
	args := []string{"-m", "fuzzingserver", "-o", s.dir}
	for _, pattern := range patterns(wanted) {
		args = append(args, "-i", pattern)
	}
	s.Program = program.Start(t, path, append(args, "127.0.0.1:0")...)
	s.url = s.After("fuzzingserver listening on ")
	return s
}

// report returns the report. kosoku writes it when it ends; the original has done so when it replies, and stays.
func (s *suiteServer) report(t *testing.T) report {
	t.Helper()
	if *suiteName != "wstest" {
		s.Wait(both.Patience)
	}
	r, err := readReport(s.dir)
	if err != nil {
		t.Fatalf("%v:\n%s", err, s.Said())
	}
	return r
}

// freeAddr returns an address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// writeSpec writes what wstest is to do into a file.
func writeSpec(t *testing.T, spec map[string]any) (path string) {
	t.Helper()
	b, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "spec.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// patterns returns those of the cases that are to be played.
func patterns(wanted []section) (all []string) {
	for _, s := range wanted {
		all = append(all, s.pattern())
	}
	return all
}
