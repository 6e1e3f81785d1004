package shockwave_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/shockwave-go/shockwave"

type floor int

func (f floor) String() string {
	return [...]string{"the ground", "the wire", "the I/O core", "compression", "join", "test support", "the faces", "the program"}[f]
}

// mayStandOn reports whether a package on floor f may use one on floor g at all.
func (f floor) mayStandOn(g floor) bool {
	if f == core {
		return g == core
	}
	return g <= f
}

// room is a package of the drawing. Lists are separated by commas; a name that ends in "/..." stands for the package
// and all below it.
type room struct {
	floor        floor
	path         string // below the module; "." is the root
	uses, others string
	tests        string // what only its tests may use
	planned      bool
}

// imports are the import paths in the files of one package, whatever system and tags they are built for.
type imports struct{ code, tests []string }

// inspect compares the drawing with what is built and returns a line for each thing that is wrong. Since no arrow of
// the drawing leads up, what is forbidden to a floor is forbidden to all that it stands on, however far down.
func inspect(house []room, built map[string]imports) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, r := range house {
		folder := strings.Join(strings.SplitN(r.path, "/", 3)[:min(2, strings.Count(r.path, "/"))], "/")
		if f, ok := folders[folder]; ok != strings.HasPrefix(r.path, "internal/") || ok && f != r.floor {
			say("%s is drawn on another floor (%v) than its folder says", r.path, r.floor)
		}
		for _, use := range list(r.uses) {
			if to := find(house, use); to == nil {
				say("%s is drawn to use %s, which is not drawn", r.path, use)
			} else if !r.floor.mayStandOn(to.floor) {
				say("%s (%v) is drawn to use %s (%v)", r.path, r.floor, use, to.floor)
			}
		}
		exists := false
		for p := range built {
			exists = exists || matches(r.path, p)
		}
		if exists && r.planned {
			say("%s is built: take its planned mark away", r.path)
		}
		if !exists && !r.planned {
			say("%s is drawn but not built", r.path)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(built)) {
		r := find(house, p)
		if r == nil {
			say("%s stands on no floor: draw it in layers_test.go", p)
			continue
		}
		for _, imp := range built[p].code {
			if why := r.refuses(imp); why != "" {
				say("%s ─► %s: %s", p, imp, why)
			}
		}
		for _, imp := range built[p].tests {
			if why := r.testsRefuse(p, imp); why != "" {
				say("tests of %s ─► %s: %s", p, imp, why)
			}
		}
	}
	return wrong
}

// refuses says why a package may not import imp, "" if it may.
func (r *room) refuses(imp string) string {
	inner, isOurs := below(imp)
	switch {
	case isOurs && !inList(r.uses, inner):
		return "not an arrow of the drawing"
	case !isOurs && !isStandard(imp) && !inList(r.others, imp):
		return "not a module that this package may import"
	case isStandard(imp) && r.floor <= wire && !inList(wireMayUse, imp):
		return "forbidden to " + r.floor.String() + ", which does no I/O, takes no lock and reads no clock"
	case isStandard(imp) && (r.floor == core || r.floor == compression || r.floor == join) && inList(coreMayNotUse, imp):
		return "forbidden to " + r.floor.String() + ", which knows no protocol of the standard library's"
	}
	return ""
}

// testsRefuse is refuses for the tests of package p. They may use the whole standard library.
func (r *room) testsRefuse(p, imp string) string {
	inner, isOurs := below(imp)
	if !isOurs {
		inner = imp
	}
	if isStandard(imp) || inner == p || inList(r.uses, inner) || inList(r.others, inner) || inList(r.tests, inner) || inList(testsMayUse, inner) {
		return ""
	}
	return "neither an arrow of the drawing nor meant for tests"
}

// survey reads the imports of every package of the module in dir, and of some nested modules. Others, and testdata, are not
// part of it.
func survey(dir string, nested ...string) (map[string]imports, error) {
	built := map[string]imports{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path == dir {
				return nil
			}
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil && !slices.ContainsFunc(nested, func(n string) bool { return path == filepath.Join(dir, n) }) || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		names, err := importsOf(path)
		p := built[filepath.ToSlash(rel)]
		if strings.HasSuffix(path, "_test.go") {
			p.tests = add(p.tests, names)
		} else {
			p.code = add(p.code, names)
		}
		built[filepath.ToSlash(rel)] = p
		return err
	})
	return built, err
}

func importsOf(path string) (names []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func add(set, names []string) []string {
	set = append(set, names...)
	slices.Sort(set)
	return slices.Compact(set)
}

// find returns the room of package p, nil if it has none.
func find(house []room, p string) *room {
	for i := range house {
		if matches(house[i].path, p) {
			return &house[i]
		}
	}
	return nil
}

// below returns the path below the module of a package that is ours.
func below(imp string) (path string, isOurs bool) {
	if imp == module {
		return ".", true
	}
	return strings.CutPrefix(imp, module+"/")
}

// isStandard reports whether imp is of the standard library: no name there has a dot in its first element.
func isStandard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

func inList(s, name string) bool {
	return slices.ContainsFunc(list(s), func(pattern string) bool { return matches(pattern, name) })
}

func matches(pattern, name string) bool {
	if top, all := strings.CutSuffix(pattern, "/..."); all {
		return name == top || strings.HasPrefix(name, top+"/")
	}
	return name == pattern
}

// The checker accepts a small house that is in order, and reports each kind of fault.
func TestLayersChecker(t *testing.T) {
	house := func() []room {
		return []room{
			{floor: ground, path: "."},
			{floor: wire, path: "wirepkg", uses: "."},
			{floor: core, path: "corepkg", others: "golang.org/x/sys/unix"},
			{floor: join, path: "joinpkg", uses: "wirepkg, corepkg"},
			{floor: faces, path: "facepkg", uses: "., wirepkg, corepkg, joinpkg, later"},
			{floor: faces, path: "later", planned: true},
			{floor: program, path: "cmd/...", uses: "facepkg"},
		}
	}
	built := func() map[string]imports {
		return map[string]imports{
			".":        {},
			"wirepkg":  {code: []string{"errors", module}, tests: []string{"testing", "net/http", "pgregory.net/rapid", module + "/wirepkg", module + "/internal/testsupport/wiretest"}},
			"corepkg":  {code: []string{"net", "sync", "golang.org/x/sys/unix"}},
			"joinpkg":  {code: []string{"net", module + "/wirepkg", module + "/corepkg"}},
			"facepkg":  {code: []string{"net/http", module, module + "/wirepkg", module + "/joinpkg"}},
			"cmd/prog": {code: []string{"os", module + "/facepkg"}},
		}
	}
	if wrong := inspect(house(), built()); len(wrong) > 0 {
		t.Fatalf("the house in order: %q", wrong)
	}
	code := func(imp string) imports { return imports{code: []string{imp}} }
	tests := func(imp string) imports { return imports{tests: []string{imp}} }
	for _, tc := range []struct {
		fault string
		pkg   string // is given these imports
		has   imports
		want  string
	}{
		{"wire reads a clock", "wirepkg", code("time"), "wirepkg ─► time: forbidden to the wire"},
		{"wire prints", "wirepkg", code("fmt"), "wirepkg ─► fmt: forbidden to the wire"},
		{"wire does I/O", "wirepkg", code("net/netip"), "wirepkg ─► net/netip: forbidden to the wire"},
		{"the vocabulary locks", ".", code("sync"), ". ─► sync: forbidden to the ground"},
		{"wire knows the core", "wirepkg", code(module + "/corepkg"), "wirepkg ─► " + module + "/corepkg: not an arrow"},
		{"core knows the wire", "corepkg", code(module + "/wirepkg"), "corepkg ─► " + module + "/wirepkg: not an arrow"},
		{"core speaks a protocol", "corepkg", code("net/http/httptest"), "corepkg ─► net/http/httptest: forbidden to the I/O core"},
		{"join speaks another protocol", "joinpkg", code("net/http"), "joinpkg ─► net/http: forbidden to join"},
		{"join knows a face", "joinpkg", code(module + "/facepkg"), "joinpkg ─► " + module + "/facepkg: not an arrow"},
		{"an arrow up", "facepkg", code(module + "/cmd/prog"), "facepkg ─► " + module + "/cmd/prog: not an arrow"},
		{"somebody's module", "facepkg", code("golang.org/x/sys/unix"), "facepkg ─► golang.org/x/sys/unix: not a module"},
		{"a tool of tests outside them", "wirepkg", code("pgregory.net/rapid"), "wirepkg ─► pgregory.net/rapid: not a module"},
		{"somebody's module in tests", "wirepkg", tests("example.org/assert"), "tests of wirepkg ─► example.org/assert: neither"},
		{"an arrow up in tests", "wirepkg", tests(module + "/facepkg"), "tests of wirepkg ─► " + module + "/facepkg: neither"},
		{"a package nobody drew", "attic", imports{}, "attic stands on no floor"},
		{"a planned package", "later", imports{}, "later is built: take its planned mark away"},
	} {
		t.Run(tc.fault, func(t *testing.T) {
			b := built()
			b[tc.pkg] = tc.has
			wantOne(t, inspect(house(), b), tc.want)
		})
	}
	t.Run("a package that is gone", func(t *testing.T) {
		b := built()
		delete(b, "cmd/prog")
		wantOne(t, inspect(house(), b), "cmd/... is drawn but not built")
	})
	t.Run("a drawing across the pillars", func(t *testing.T) {
		h := house()
		h[1].uses += ", corepkg"
		wantOne(t, inspect(h, built()), "wirepkg (the wire) is drawn to use corepkg (the I/O core)")
		h = house()
		h[2].uses = "wirepkg"
		wantOne(t, inspect(h, built()), "corepkg (the I/O core) is drawn to use wirepkg (the wire)")
		h = house()
		h[2].uses = "joinpkg"
		wantOne(t, inspect(h, built()), "corepkg (the I/O core) is drawn to use joinpkg (join)")
	})
	t.Run("a drawing on another floor than the folder's", func(t *testing.T) {
		h := append(house(), room{floor: core, path: "internal/wire/strange", planned: true})
		wantOne(t, inspect(h, built()), "internal/wire/strange is drawn on another floor (the I/O core) than its folder says")
	})
	t.Run("a drawing to nowhere", func(t *testing.T) {
		h := house()
		h[4].uses += ", cellar"
		wantOne(t, inspect(h, built()), "facepkg is drawn to use cellar, which is not drawn")
	})
}

func wantOne(t *testing.T, wrong []string, want string) {
	t.Helper()
	if len(wrong) != 1 || !strings.Contains(wrong[0], want) {
		t.Errorf("got %q, want one line with %q", wrong, want)
	}
}

// The survey sees files for other systems, tells tests from code, and leaves out other modules.
func TestLayersSurvey(t *testing.T) {
	dir := t.TempDir()
	for name, src := range map[string]string{
		"a.go":                    "package a\nimport \"errors\"\n",
		"in/a_plan9.go":           "package in\nimport \"os\"\n",
		"in/b.go":                 "//go:build never\n\npackage in\nimport (\n\t_ \"unsafe\"\n\t\"os\"\n)\n",
		"in/a_test.go":            "package in_test\nimport \"testing\"\n",
		"in/testdata/c.go":        "package c\nimport \"net\"\n",
		"nested/go.mod":           "module nested\n",
		"nested/inner/d.go":       "package d\nimport \"net\"\n",
		"drawn/too/go.mod":        "module too\n",
		"drawn/too/inner/g.go":    "package g\nimport \"net\"\n",
		".hidden/e.go":            "package e\nimport \"net\"\n",
		"docs/no.md":              "package f\nimport \"net\"\n",
		"in/only/tests/f_test.go": "package f\nimport \"time\"\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	built, err := survey(dir, "drawn/too")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]imports{
		".":               {code: []string{"errors"}},
		"in":              {code: []string{"os", "unsafe"}, tests: []string{"testing"}},
		"in/only/tests":   {tests: []string{"time"}},
		"drawn/too/inner": {code: []string{"net"}},
	}
	if got, want := fmt.Sprint(built), fmt.Sprint(want); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The packages that scripts/lint builds for wasm are those of the ground and the wire.
func TestWireIsBuiltForWasm(t *testing.T) {
	script, err := os.ReadFile("scripts/lint")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(script), "\nwire=(")
	names, _, _ := strings.Cut(after, ")")
	got := strings.Fields(names)
	var want []string
	for _, r := range house {
		switch {
		case r.planned || r.floor > wire:
		case r.path == ".":
			want = append(want, ".")
		default:
			want = append(want, "./"+r.path)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("scripts/lint builds %q for wasm, want %q", got, want)
	}
}
