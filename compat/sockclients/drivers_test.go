package sockclients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// patience is how long a driver may take for all its jobs on a busy machine.
const patience = 2 * time.Minute

// driver is a program that plays jobs with one of the clients.
type driver struct {
	name    string
	schemes []string
	web     bool                                                 // it is on WebSocket's interface for pages
	start   func(t *testing.T, ca string, jobs ...string) string // until all are played: what was said
}

var drivers = []driver{
	{"c", []string{"tcp", "ws"}, false, startC},
	{"python", []string{"tcp", "tls", "ws", "wss"}, false, startPython},
	{"node", []string{"ws", "wss"}, true, startNode},
	{"node-ws", []string{"ws", "wss"}, true, startNodeWS},
	{"chromium", []string{"ws", "wss"}, true, startChromium},
}

// Which drivers a test is about.
var (
	everyone  = func(driver) bool { return true }
	pages     = func(d driver) bool { return d.web }
	ownFrames = func(d driver) bool { return !d.web } // the client itself reads WebSocket's frames
)

// eachDriver runs f for every driver that it is about, if the machine has what that needs.
func eachDriver(t *testing.T, about func(driver) bool, f func(t *testing.T, d driver)) {
	for _, d := range drivers {
		if !about(d) {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			f(t, d)
		})
	}
}

// play has the driver play jobs, and returns the lines of each.
func (d driver) play(t *testing.T, ca string, jobs ...string) [][]string {
	t.Helper()
	said := d.start(t, ca, jobs...)
	var all [][]string
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		lines = append(lines, line)
		if strings.HasPrefix(line, "failed") || strings.HasPrefix(line, "end ") && !strings.HasSuffix(line, " returns") {
			all = append(all, lines)
			lines = nil
		}
	}
	if len(all) != len(jobs) || lines != nil {
		t.Fatalf("%d jobs were played, want %d; it was said\n%.2000s", len(all), len(jobs), said)
	}
	return all
}

// code returns the close code that a driver's client sends for one of the wire: pages may not send those below 3000.
func (d driver) code(code int) int {
	if d.web && (code == 1003 || code == 1009) {
		return code + 3000
	}
	return code
}

// run runs a command to its end.
func run(t *testing.T, command ...string) string {
	t.Helper()
	p := program.Start(t, command[0], command[1:]...)
	if err := p.Wait(patience); err != nil {
		t.Errorf("%s: %v", command[0], err)
	}
	return p.Said()
}

// startC builds the client, with what finds mistakes of memory if the compiler has that.
func startC(t *testing.T, _ string, jobs ...string) string {
	gcc := program.Find(t, "gcc", "cc", "clang")
	out := filepath.Join(t.TempDir(), "driver")
	source := filepath.Join("..", "..", "clients", "c")
	build := []string{"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g", "-I", source, "-o", out,
		filepath.Join("testdata", "driver.c"), filepath.Join(source, "streamsock.c"), filepath.Join(source, "open.c")}
	checked := append([]string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}, build...)
	if said, err := exec.Command(gcc, checked...).CombinedOutput(); err != nil {
		t.Logf("without sanitizers: %s", said)
		if said, err := exec.Command(gcc, build...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	return run(t, append([]string{out}, jobs...)...)
}

func startPython(t *testing.T, ca string, jobs ...string) string {
	python := program.Find(t, "python3")
	return run(t, append([]string{"env", "SSL_CERT_FILE=" + ca, python, filepath.Join("testdata", "driver.py")}, jobs...)...)
}

// startNode asks versions that do not have WebSocket yet for their experiment.
func startNode(t *testing.T, ca string, jobs ...string) string {
	node := program.Find(t, "node")
	command := []string{"env", "NODE_EXTRA_CA_CERTS=" + ca, node, "--no-warnings"}
	if has := "process.exit(typeof WebSocket === 'function' ? 0 : 1)"; exec.Command(node, "-e", has).Run() != nil {
		command = append(command, "--experimental-websocket")
		if exec.Command(node, "--experimental-websocket", "-e", has).Run() != nil {
			t.Skip("this node has no WebSocket: version 22 does")
		}
	}
	return run(t, append(append(command, filepath.Join("testdata", "driver.mjs")), jobs...)...)
}

// startNodeWS has the client use the package ws.
func startNodeWS(t *testing.T, ca string, jobs ...string) string {
	node := program.Find(t, "node")
	if installed, _ := filepath.Glob(filepath.Join(program.Installed(), "node_modules", "ws", "package.json")); installed == nil {
		t.Skip("no Node.js package ws: scripts/peers installs it")
	}
	command := []string{"env", "NODE_EXTRA_CA_CERTS=" + ca, "DRIVER_WS=1", node, filepath.Join("testdata", "driver.mjs")}
	return run(t, append(command, jobs...)...)
}

// startChromium shows a page with the jobs to a browser.
func startChromium(t *testing.T, _ string, jobs ...string) string {
	browser := program.Find(t, "chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
	reports := make(chan string, 1)
	mux := http.NewServeMux()
	for path, file := range map[string]string{
		"/{$}": "testdata/page.html", "/driver.mjs": "testdata/driver.mjs", "/unit.mjs": "testdata/unit.mjs",
		"/clients/js/streamsock.js": "../../clients/js/streamsock.js",
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(file, "js") {
				w.Header().Set("Content-Type", "text/javascript")
			}
			http.ServeFile(w, r, file)
		})
	}
	mux.HandleFunc("GET /jobs", func(w http.ResponseWriter, r *http.Request) { json.NewEncoder(w).Encode(jobs) })
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		reports <- string(said)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	program.Start(t, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--ignore-certificate-errors", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", site.URL+"/")
	return both.Receive(t, reports, "the report of the page")
}

// endLine is the last line of a job. A text that is not given may be any.
func endLine(reason string, code int, length uint32, text string) string {
	line := fmt.Sprintf("end %s %d %d", reason, code, length)
	if text == "" {
		return line + " "
	}
	return line + " " + strings.ReplaceAll(text, " ", "_")
}

// has reports whether lines begin with those of want.
func has(lines, want []string) bool {
	return len(lines) == len(want) && slices.Equal(lines[:len(want)-1], want[:len(want)-1]) &&
		strings.HasPrefix(lines[len(lines)-1], want[len(want)-1])
}
