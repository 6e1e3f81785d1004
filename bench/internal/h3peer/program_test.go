package h3peer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Only peers that are programs are built, found and started as programs.
func TestOnlyProgramsAreBuilt(t *testing.T) {
	for _, name := range All {
		path, err := "", error(nil)
		if !IsProgram(name) {
			path, err = Find(name)
		}
		if path != "" || err != nil || IsProgram(name) != (name == Caddy || name == Quinn) {
			t.Errorf("%s: got %q, %v", name, path, err)
		}
	}
	if Built(Native) {
		t.Errorf("%s is built", Native)
	}
	if err := Become(Native, t.TempDir(), "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "is no program") {
		t.Errorf(`got %v; want an error that says "is no program"`, err)
	}
}

// The error names the tool that is missing.
func TestAMissingToolIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where nothing has been built
	for name, p := range programs {
		for what, err := range map[string]error{"Missing": Missing(name), "Find": finding(p, name)} {
			if err == nil || !strings.Contains(err.Error(), "takes "+p.tool+", which is not installed") {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
		if Built(name) {
			t.Errorf("%s is built", name)
		}
	}
}

func finding(p program, name string) error {
	_, err := p.find(name)
	return err
}

// Every file of a program is among its sources, so that a change of any builds it again.
func TestAllSourcesOfAProgramAreNamed(t *testing.T) {
	for name, p := range programs {
		var files []string
		for _, pattern := range []string{"*", "src/*"} {
			found, err := filepath.Glob(filepath.Join(name, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				if info, err := os.Stat(path); err == nil && !info.IsDir() {
					files = append(files, strings.TrimPrefix(path, name+"/"))
				}
			}
		}
		slices.Sort(files)
		if want := slices.Sorted(slices.Values(p.sources)); !slices.Equal(files, want) {
			t.Errorf("the files of %s are %q; named are %q", name, files, want)
		}
	}
}

// A program that was built from these sources is found without its tool.
func TestWhatIsBuiltIsFound(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, p := range programs {
		_, at, err := place(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if path, err := p.find(name); err != nil || path != at || !Built(name) {
			t.Errorf("%s: %q, %v; want %q", name, path, err, at)
		}
	}
}
