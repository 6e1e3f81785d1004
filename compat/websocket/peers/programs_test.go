package peers

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/compat/internal/wsecho"
	"github.com/shockwave-go/shockwave/websocket"
)

// patience is how long a whole conversation may take on a busy machine; the JDK compiles first.
const patience = 2 * time.Minute

// runtimes are the programs that run the scripts of testdata: where they are, and what has to go before the script.
var runtimes = []struct {
	name           string
	find           func(t *testing.T) []string
	client, server string
}{
	{"python", findPython, "client.py", "server.py"},
	{"node", findNode, "client.cjs", "server.cjs"},
	{"java", findJava, "Client.java", ""},
}

func findPython(t *testing.T) []string {
	python := program.Find(t, "python3")
	if exec.Command(python, "-c", "import websockets.asyncio.client").Run() != nil {
		t.Skip("no Python package websockets: scripts/peers installs it")
	}
	return []string{python}
}

func findNode(t *testing.T) []string {
	node := program.Find(t, "node")
	if installed, _ := filepath.Glob(filepath.Join(program.Installed(), "node_modules", "ws", "package.json")); installed == nil {
		t.Skip("no Node.js package ws: scripts/peers installs it")
	}
	return []string{node}
}

func findJava(t *testing.T) []string {
	program.Find(t, "javac") // java runs single sources with it
	return []string{program.Find(t, "java"), "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"}
}

// Other people's client programs and our server understand each other.
func TestClientPrograms(t *testing.T) {
	t.Parallel()
	for _, r := range runtimes {
		t.Run(r.name, func(t *testing.T) {
			command := append(r.find(t), filepath.Join("testdata", r.client))
			for _, way := range wsecho.Ways {
				t.Run(way.Name, func(t *testing.T) {
					t.Parallel()
					s := way.Start(t, websocket.Config{Compression: websocket.ContextTakeover})
					p := program.Start(t, command[0], append(slices.Clip(command[1:]), s.URL)...)
					if err := p.Wait(patience); err != nil {
						t.Errorf("%v:\n%s", err, p.Said())
					}
				})
			}
		})
	}
}

// Other people's server programs and our client understand each other.
func TestServerPrograms(t *testing.T) {
	t.Parallel()
	for _, r := range runtimes {
		if r.server == "" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			command := append(r.find(t), filepath.Join("testdata", r.server))
			port := program.Start(t, command[0], command[1:]...).After("port ")
			for _, compression := range []websocket.Compression{websocket.NoContextTakeover, websocket.ContextTakeover} {
				converse(t, func() *end { return dialOurs(t, "ws://127.0.0.1:"+port+"/", compression) })
			}
		})
	}
}
