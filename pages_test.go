package shockwave_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// repository is where links in the comments of packages lead: their readers are not in the repository.
const repository = "https://github.com/shockwave-go/shockwave/blob/main/"

var (
	fenced = regexp.MustCompile("(?ms)^```.*?^```$")
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	title  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
)

// The README has at most 150 lines, and what and why fit on its first screen.
func TestReadmeIsShort(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(page, []byte("\n")); n > 150 {
		t.Errorf("README.md has %d lines, want 150 or less", n)
	}
	if n := bytes.Count(page[:bytes.Index(page, []byte("\n## "))], []byte("\n")); n > 45 {
		t.Errorf("the part before its first section has %d lines, want one screen of 45 or less", n)
	}
}

// The two commands to begin with stand together on the first screen of the README.
func TestReadmeBeginsWithCommands(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	first := page[:bytes.Index(page, []byte("\n## "))]
	if !regexp.MustCompile("(?m)^go run [.]/cmd/shockwave serve( .*)?\ngo test [.]/[.]{3}$").Match(first) {
		t.Error("want `go run ./cmd/shockwave serve` and, on the next line, `go test ./...` before the first section")
	}
}

// Each link of a page leads to a file that exists, and to a heading that it has.
func TestLinksOfPages(t *testing.T) {
	for _, name := range files(t, ".md") {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(fenced.ReplaceAll(page, nil), -1) {
			if to := string(m[1]); !strings.Contains(to, "://") {
				if err := leads(name, to); err != nil {
					t.Errorf("%s: %s: %v", name, to, err)
				}
			}
		}
	}
}

// leads follows a relative link.
func leads(from, to string) error {
	file, anchor, _ := strings.Cut(to, "#")
	if file = filepath.Join(filepath.Dir(from), file); to[0] == '#' {
		file = from
	}
	page, err := os.ReadFile(file)
	if anchor == "" {
		_, err = os.Stat(file)
	}
	if err != nil {
		return err
	}
	if anchor != "" && !slices.Contains(anchors(page), anchor) {
		return fmt.Errorf("no heading is called %q", anchor)
	}
	return nil
}

// anchors are the names under which a page's headings can be reached, made as GitHub makes them.
func anchors(page []byte) (names []string) {
	seen := map[string]int{}
	for _, m := range title.FindAllSubmatch(fenced.ReplaceAll(page, nil), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, string(m[1]))
		n := seen[name]
		seen[name]++
		if n > 0 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		names = append(names, name)
	}
	return names
}

// The files, folders and tests that a page names in code exist.
func TestNamesInPages(t *testing.T) {
	span := regexp.MustCompile("`([^`\n]+)`")
	path := regexp.MustCompile(`^(bench|clients|cmd|compat|docs|examples|http1|internal|nethttp|scripts|server|tools|websocket)/[\w./*-]+$`)
	test := regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]\w*$`)
	source := regexp.MustCompile(`^\w+\.go$`)
	others := regexp.MustCompile(`(?s)\n## The distribution's own tests\n.*`) // which are not here
	isSource := func(word string) bool {
		return slices.ContainsFunc(files(t, ".go"), func(name string) bool { return filepath.Base(name) == word })
	}
	tests := testNames(t)
	for _, name := range files(t, ".md") {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range span.FindAllSubmatch(others.ReplaceAll(fenced.ReplaceAll(page, nil), nil), -1) {
			switch word := string(m[1]); {
			case path.MatchString(word):
				if r := find(house, word); r != nil && r.planned {
					continue
				}
				here, _ := filepath.Glob(filepath.Join(filepath.Dir(name), word))
				if fromRoot, _ := filepath.Glob(filepath.FromSlash(word)); len(here)+len(fromRoot) == 0 {
					t.Errorf("%s names %s, which is not there", name, word)
				}
			case source.MatchString(word) && !isSource(word):
				t.Errorf("%s names %s, which is not there", name, word)
			case test.MatchString(word) && !tests[word]:
				t.Errorf("%s names %s, which is no test", name, word)
			}
		}
	}
}

// testNames are the names of all tests, fuzz targets and benchmarks, those of nested modules as well.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w*)\(`)
	names := map[string]bool{}
	for _, name := range files(t, ".go") {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range function.FindAllSubmatch(code, -1) {
			names[string(m[1])] = true
		}
	}
	return names
}

// A page of a decision has the form that docs/decisions/README.md asks for.
func TestFormOfDecisions(t *testing.T) {
	want := []string{"What had to be decided", "What was decided", "What was tried and did not work", "What follows"}
	pages, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile(`(?m)^## (.+)$`)
	for i, name := range pages {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range section.FindAllSubmatch(page, -1) {
			got = append(got, string(m[1]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the sections %q, want %q", name, got, want)
		}
		number := fmt.Sprintf("%04d-", i+1)
		if head := fmt.Sprintf("# %d. ", i+1); !strings.HasPrefix(filepath.Base(name), number) || !bytes.HasPrefix(page, []byte(head)) {
			t.Errorf("%s: want the number %s and the title %q", name, number, head)
		}
	}
}

// Comments that go doc shows have absolute links that lead somewhere, and name no package that users cannot import.
func TestCommentsOfPackages(t *testing.T) {
	private := regexp.MustCompile(`\b(internal/\w+(?:/\w+)?|` + strings.Join(privatePackages(t), "|") + `)\b`)
	pages := regexp.MustCompile(`\b(docs/|\w+\.md\b)`)
	for _, dir := range []string{".", "http1", "http2", "hpack", "server", "nethttp", "nethttp/nethttptest", "client", "websocket", "websocket/wsjson", "streamsock", "tcpmux", "clients/js"} {
		for name, text := range comments(t, dir) {
			parsed := new(comment.Parser).Parse(text)
			for _, def := range parsed.Links {
				if path, ours := strings.CutPrefix(def.URL, repository); !ours {
					continue
				} else if err := leads("README.md", path); err != nil {
					t.Errorf("%s: %s: %v", name, def.URL, err)
				}
				if !def.Used {
					t.Errorf("%s: nothing is linked to %s", name, def.URL)
				}
			}
			parsed.Links = nil
			plain := string(new(comment.Printer).Text(parsed))
			if found := private.FindString(plain); found != "" {
				t.Errorf("%s: its comment names %s, which nobody can import", name, found)
			}
			if found := pages.FindString(plain); found != "" {
				t.Errorf("%s: its comment names the page %s without an absolute link", name, found)
			}
		}
	}
}

// privatePackages are the names of internal packages, but those that are words of the field as well.
func privatePackages(t *testing.T) (names []string) {
	folders, err := filepath.Glob("internal/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		if !slices.Contains([]string{"ascii", "backlog", "budget", "clock", "coding", "deflate", "defaults", "dial", "linger", "lot", "mask", "output", "sys", "transport"}, name) {
			names = append(names, name)
		}
	}
	return names
}

// comments are those that go doc shows of the package in dir, by what they are about.
func comments(t *testing.T, dir string) map[string]string {
	t.Helper()
	set := token.NewFileSet()
	var parsed []*ast.File
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(set, parsed, module+"/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{p.Name: p.Doc}
	of := func(values []*doc.Value, funcs []*doc.Func) {
		for _, v := range values {
			all[p.Name+"."+v.Names[0]] = v.Doc
		}
		for _, f := range funcs {
			all[p.Name+"."+f.Recv+"."+f.Name] = f.Doc
		}
	}
	of(append(p.Consts, p.Vars...), p.Funcs)
	for _, t := range p.Types {
		all[p.Name+"."+t.Name] = t.Doc
		of(append(t.Consts, t.Vars...), append(t.Funcs, t.Methods...))
		ast.Inspect(t.Decl, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && len(f.Names) > 0 && f.Names[0].IsExported() {
				all[p.Name+"."+t.Name+"."+f.Names[0].Name] = f.Doc.Text() + "\n" + f.Comment.Text()
			}
			return true
		})
	}
	return all
}

// files are those of the repository with an extension, nested modules as well.
func files(t *testing.T, extension string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "tmp" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(path) == extension:
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
