package h3peer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// program is a peer with dependencies of its own, which is built from a folder beside this file. It prints its address when it
// listens.
type program struct {
	tool    string // builds it
	install string // what has the tool
	sources []string
	build   func(ctx context.Context, tool, source, dir string) (cmd *exec.Cmd, built string)
	args    func(addr, dir string) []string
}

var programs = map[string]program{
	Caddy: {
		tool: "go", install: "Go 1.26 or newer",
		sources: []string{"go.mod", "go.sum", "go.work", "go.work.sum", "main.go", "config.go", "handler.go", "control.go"},
		build: func(ctx context.Context, tool, source, dir string) (*exec.Cmd, string) {
			built := filepath.Join(dir, "program")
			return exec.CommandContext(ctx, tool, "build", "-C", source, "-o", built, "."), built
		},
		args: func(addr, dir string) []string { return []string{"-addr", addr, "-dir", dir} },
	},
	Quinn: {
		tool: "cargo", install: "Rust 1.85 or newer, and gcc",
		sources: []string{"Cargo.toml", "Cargo.lock", "src/main.rs", "src/answer.rs"},
		build: func(ctx context.Context, tool, source, dir string) (*exec.Cmd, string) {
			manifest := filepath.Join(source, "Cargo.toml")
			cmd := exec.CommandContext(ctx, tool, "build", "--quiet", "--release", "--locked", "--manifest-path", manifest, "--target-dir", dir)
			return cmd, filepath.Join(dir, "release", "quinn-peer")
		},
		args: func(addr, dir string) []string { return []string{addr, dir} },
	},
}

// IsProgram reports whether a peer is a program of its own.
func IsProgram(name string) bool {
	_, ok := programs[name]
	return ok
}

// Missing returns an error that says what a peer's program takes, if that is not installed. It builds nothing.
func Missing(name string) error {
	p, ok := programs[name]
	if !ok {
		return nil
	}
	if _, err := exec.LookPath(p.tool); err != nil {
		return fmt.Errorf("takes %s, which is not installed (%s)", p.tool, p.install)
	}
	return nil
}

// Built reports whether a peer's program has been built from its present sources, so that Find does not build it.
func Built(name string) bool {
	_, at, err := place(name)
	if err == nil {
		_, err = os.Stat(at)
	}
	return err == nil
}

// found has the results of Find by name.
var found sync.Map

// Find returns the path of a peer's program, "" if the peer runs inside this program. The program is built when it is first
// needed, which takes minutes, and kept in the user's cache directory. The error says what is missing.
func Find(name string) (string, error) {
	p, ok := programs[name]
	if !ok {
		return "", nil
	}
	find, _ := found.LoadOrStore(name, sync.OnceValues(func() (string, error) { return p.find(name) }))
	return find.(func() (string, error))()
}

// find builds a program unless it is in the cache.
func (p program) find(name string) (string, error) {
	source, at, err := place(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(at); err == nil {
		return at, nil
	}
	if err := Missing(name); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(at), "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	fmt.Fprintf(os.Stderr, "bench: building %s, once for these sources; this takes minutes\n", name)
	cmd, built := p.build(ctx, p.tool, source, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s does not build it: %w\n%.2000s", p.tool, err, out)
	}
	return at, os.Rename(built, at)
}

// place returns the folder of a program's sources, and its path in the cache, which depends on a hash of the sources.
func place(name string) (source, at string, err error) {
	p, ok := programs[name]
	if !ok {
		return "", "", fmt.Errorf("%s is no program", name)
	}
	_, here, _, _ := runtime.Caller(0)
	source = filepath.Join(filepath.Dir(here), name)
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version())
	for _, file := range p.sources {
		text, err := os.ReadFile(filepath.Join(source, file))
		if err != nil {
			return "", "", err
		}
		sum.Write(text)
	}
	cache, err := os.UserCacheDir()
	return source, filepath.Join(cache, "shockwave-bench", name+"-"+hex.EncodeToString(sum.Sum(nil)[:8])), err
}

// Become writes the served files and a certificate to dir, and replaces this process by a peer's program, which prints its
// address and serves it.
func Become(name, dir, addr string) error {
	path, err := Find(name)
	if err == nil && path == "" {
		err = fmt.Errorf("%s is no program", name)
	}
	if err != nil {
		return err
	}
	if err := peer.WriteResponses(dir); err != nil {
		return err
	}
	if err := h2peer.WriteCertificate(dir); err != nil {
		return err
	}
	if err := peer.OpenMany(); err != nil {
		return err
	}
	env := append(os.Environ(), "XDG_DATA_HOME="+dir) // where Caddy keeps its files
	return syscall.Exec(path, append([]string{name}, programs[name].args(addr, dir)...), env)
}
