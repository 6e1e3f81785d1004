package sockpeer

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
)

//go:embed native
var sources embed.FS

// program is a peer in C or C++.
type program struct {
	source   string
	compiler string
	headers  []string
	packages string // names of the Debian packages
	flags    []string
	libs     []string
}

var programs = map[string]program{
	Beast: {"beast.cpp", "g++", []string{"boost/beast.hpp", "openssl/ssl.h"}, "g++, libboost-dev, libssl-dev",
		[]string{"-std=c++17"}, []string{"-lssl", "-lcrypto", "-lpthread"}},
	ZMQ: {"zmq.c", "gcc", []string{"zmq.h"}, "gcc, libzmq3-dev", nil, []string{"-lzmq"}},
	C:   {"pingpong.c", "gcc", nil, "gcc, libc6-dev", nil, nil},
}

// IsProgram reports whether a peer is in C or C++.
func IsProgram(name string) bool {
	_, ok := programs[name]
	return ok
}

// found has the results of Find by name.
var found sync.Map

// Find returns the path of a peer's program, "" if the peer runs inside this program. The program is compiled when it is first
// needed, and kept in the user's cache directory. The error says what is missing.
func Find(name string) (string, error) {
	p, ok := programs[name]
	if !ok {
		return "", nil
	}
	find, _ := found.LoadOrStore(name, sync.OnceValues(p.build))
	return find.(func() (string, error))()
}

// build compiles a program unless it is in the cache.
func (p program) build() (string, error) {
	if _, err := exec.LookPath(p.compiler); err != nil {
		return "", fmt.Errorf("takes %s, which is not installed (Debian: %s)", p.compiler, p.packages)
	}
	if err := p.hasHeaders(); err != nil {
		return "", err
	}
	at, err := p.cachePath()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(at); err == nil {
		return at, nil
	}
	dir, err := os.MkdirTemp(filepath.Dir(at), "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, sources); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	built := filepath.Join(dir, "program")
	args := slices.Concat([]string{"-O2"}, p.flags, []string{"-o", built, filepath.Join(dir, "native", p.source)}, p.libs)
	if out, err := exec.CommandContext(ctx, p.compiler, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("does not compile: %w\n%.2000s", err, out)
	}
	return at, os.Rename(built, at)
}

// hasHeaders asks the preprocessor whether the program's headers are installed.
func (p program) hasHeaders() error {
	var ask strings.Builder
	for _, h := range p.headers {
		fmt.Fprintf(&ask, "#if !__has_include(<%s>)\n#error %s\n#endif\n", h, h)
	}
	cmd := exec.Command(p.compiler, "-E", "-x", "c++", "-")
	cmd.Stdin = strings.NewReader(ask.String())
	if p.compiler == "gcc" {
		cmd.Args[3] = "c"
	}
	if cmd.Run() != nil {
		return fmt.Errorf("takes the headers %s (Debian: %s)", strings.Join(p.headers, ", "), p.packages)
	}
	return nil
}

// cachePath returns the program's path in the cache, which depends on a hash of its sources.
func (p program) cachePath() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range []string{"talk.h", p.source} {
		text, err := sources.ReadFile("native/" + name)
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	dir := filepath.Join(cache, "shockwave-bench")
	return filepath.Join(dir, p.source+"-"+hex.EncodeToString(sum.Sum(nil)[:8])), os.MkdirAll(dir, 0o755)
}

// Become replaces this process by a peer's program, as a server. The program prints its address.
func Become(name, transport, dir string) error {
	path, err := Find(name)
	if err == nil && clientTLS(transport) != nil {
		err = h2peer.WriteCertificate(dir)
	}
	if err != nil {
		return err
	}
	return syscall.Exec(path, []string{name, "serve", transport, dir}, os.Environ())
}

// BecomeDriver replaces this process by a peer's program, as a client that does a task.
func BecomeDriver(name, transport, addr string, t Task) error {
	path, err := Find(name)
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	args := []string{name, "drive", transport, host, port, t.What, strconv.Itoa(t.Size), fmt.Sprint(t.Duration.Seconds())}
	return syscall.Exec(path, args, os.Environ())
}
