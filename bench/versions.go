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

// versions are the versions of all that takes part in a suite.
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
		if path, err := find(name); err == nil && path != "" {
			if version := programVersion(ctx, name, path); version != "" {
				v[name] = version
			}
		}
	}
	return v
}

// version is the first that looks like one in what a program says: "nginx version: nginx/1.2.3".
var version = regexp.MustCompile(`\d+[._]\d+(\.\d+)?`)

// programVersion asks a program, "" if it does not say.
func programVersion(ctx context.Context, name, path string) string {
	flag := "--version"
	switch name {
	case h2peer.Nginx:
		flag = "-v"
	case sockpeer.C:
		return "" // it is nobody's
	}
	out, _ := exec.CommandContext(ctx, path, flag).CombinedOutput()
	return string(version.Find(out))
}

// commit names the commit that the tree in root was checked out from, and tells when its code has changed since: not
// its pages and results, which this program writes. Without git it is unknown: "".
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
