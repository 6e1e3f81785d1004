package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/h3peer"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// moduleRoot returns the directory of the module that is measured: the one above this module's.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	file := strings.TrimSpace(string(out))
	if err != nil || filepath.Base(filepath.Dir(file)) != "bench" {
		return "", errors.New("run it in the directory bench/ of the repository")
	}
	return filepath.Dir(filepath.Dir(file)), nil
}

// versions returns the versions of Go, of this module and of the suite's peers, by name.
func versions(ctx context.Context, s *suite.Suite, root string) map[string]string {
	v := map[string]string{"Go": strings.TrimPrefix(runtime.Version(), "go"), "shockwave": "(unknown commit)"}
	if c := commit(ctx, root); c != "" {
		v["shockwave"] = c
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if name := s.Modules[dep.Path]; name != "" {
				v[name] = strings.TrimPrefix(dep.Version, "v")
			}
		}
	}
	for _, name := range s.Peers {
		if h3peer.IsProgram(name) && !h3peer.Built(name) {
			continue // it was not measured
		}
		if path, err := find(name); err == nil && path != "" {
			if version := programVersion(ctx, name, path); version != "" {
				v[name] = version
			}
		}
	}
	return v
}

// version matches the version number in a program's output: "nginx version: nginx/1.2.3".
var version = regexp.MustCompile(`\d+[._]\d+(\.\d+)?`)

// programVersion runs a program and returns the version that it prints, "" if it prints none.
func programVersion(ctx context.Context, name, path string) string {
	flag := "--version"
	switch name {
	case h2peer.Nginx:
		flag = "-v"
	case sockpeer.C:
		return "" // the program is ours and has no version
	}
	out, _ := exec.CommandContext(ctx, path, flag).CombinedOutput()
	return string(version.Find(out))
}

// commit returns the short name of the commit that is checked out in root, followed by " with changes" if code differs
// from it. Pages and results do not count as code, because this program writes them. It returns "" without git.
func commit(ctx context.Context, root string) string {
	git := func(args ...string) string {
		out, _ := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out))
	}
	name := git("rev-parse", "--short=10", "HEAD")
	if name != "" && git("status", "--porcelain", "--untracked-files=no", "--", "*.go", "*.s", "*go.mod") != "" {
		name += " with changes"
	}
	return name
}
