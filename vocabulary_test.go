package shockwave_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// meaning is a row of the table "One word for one meaning" in docs/architecture.md.
type meaning struct {
	words  []string // the names for it
	not    []string // names that would mean the same: Name, or Type.Name
	except []string // where such a name is right all the same: package.Name, or package.Type.Name
}

// The packages say one thing in one way: no exported name is one that the table replaces, and no row of the table is about
// names that are gone.
func TestOneWordForOneMeaning(t *testing.T) {
	rows := meanings(t)
	if len(rows) < 10 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	exported := exportedNames(t)
	for _, row := range rows {
		for _, word := range row.words {
			if !slices.ContainsFunc(exported, func(name string) bool { return isNamed(name, word) }) {
				t.Errorf("nothing is called %s", word)
			}
		}
		for _, name := range exported {
			if slices.Contains(row.except, name) {
				continue
			}
			for _, word := range row.not {
				if isNamed(name, word) {
					t.Errorf("%s: the word is %s", name, strings.Join(row.words, " or "))
				}
			}
		}
		for _, name := range row.except {
			if !slices.Contains(exported, name) {
				t.Errorf("%s is an exception, and does not exist", name)
			}
		}
	}
}

// Iterators over messages end with their error, counts in statistics are all int64, and no exported name mentions a type that users
// cannot see.
func TestShapesOfNames(t *testing.T) {
	var private []string
	for _, pattern := range []string{"internal/*/*", "*/internal/*"} {
		folders, _ := filepath.Glob(pattern)
		for _, folder := range folders {
			if top, _, _ := strings.Cut(folder, "/"); top == "bench" || top == "compat" {
				continue // modules that no package imports
			}
			private = append(private, filepath.Base(folder))
		}
	}
	leak := regexp.MustCompile(`\b(` + strings.Join(private, "|") + `)\.[A-Z]`)
	number := regexp.MustCompile(`^type \w*Stats struct, \w+ (u?int\w*|float\w+)$`)
	for pkg, lines := range lists(t) {
		for _, line := range lines {
			switch m := number.FindStringSubmatch(line); {
			case m != nil && m[1] != "int64":
				t.Errorf("%s: %s: want int64", pkg, line)
			case strings.Contains(line, " Messages()") && !strings.Contains(line, "iter.Seq2[") || strings.Contains(line, " Messages()") && !strings.Contains(line, ", error]"):
				t.Errorf("%s: %s: want an iter.Seq2 with an error", pkg, line)
			case leak.MatchString(line):
				t.Errorf("%s: %s: users cannot see this type", pkg, line)
			}
		}
	}
}

// meanings reads the table.
func meanings(t *testing.T) (rows []meaning) {
	t.Helper()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## One word for one meaning\n")
	if !found {
		t.Fatal("docs/architecture.md has no such section")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	quoted := regexp.MustCompile("`([^`]+)`")
	names := func(cell string) (out []string) {
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			out = append(out, m[1])
		}
		return out
	}
	for line := range strings.Lines(section) {
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) == 6 && !strings.HasPrefix(cells[1], "--") {
			rows = append(rows, meaning{words: names(cells[2]), not: names(cells[3]), except: names(cells[4])})
		}
	}
	return rows[min(1, len(rows)):]
}

// isNamed reports whether an exported name, package.Name or package.Type.Name, is called word: Name or Type.Name.
func isNamed(name, word string) bool { return strings.HasSuffix(name, "."+word) }

// exportedNames returns package.Name and package.Type.Name for all that users can see.
func exportedNames(t *testing.T) (names []string) {
	declared := regexp.MustCompile(`^(?:const|var|func|type) (\w+)`)
	inside := regexp.MustCompile(`^type (\w+)(?:\[[^\]]*\])? (?:struct|interface), (\w+)`)
	method := regexp.MustCompile(`^method \(\*?(\w+)(?:\[[^\]]*\])?\) (\w+)`)
	for pkg, lines := range lists(t) {
		for _, line := range lines {
			if m := inside.FindStringSubmatch(line); m != nil {
				names = append(names, pkg+"."+m[1]+"."+m[2])
			} else if m := method.FindStringSubmatch(line); m != nil {
				names = append(names, pkg+"."+m[1]+"."+m[2])
			} else if m := declared.FindStringSubmatch(line); m != nil {
				names = append(names, pkg+"."+m[1])
			}
		}
	}
	return names
}

// lists returns the lines of the files in api/, by package.
func lists(t *testing.T) map[string][]string {
	t.Helper()
	files, _ := filepath.Glob("api/*.txt")
	all := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".txt"), "-", "/")] = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	return all
}
