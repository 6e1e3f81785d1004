package main

import (
	"strings"
	"testing"
)

// Files, functions and exported names that break a rule are reported, each in one line.
func TestInspect(t *testing.T) {
	long := strings.Repeat("\n", maxFileLines+1)
	body := strings.Repeat("\n", maxFuncLines)
	for _, tc := range []struct {
		name, path, src string
		want            string // a part of the only line; "" for none
	}{
		{"calm", "a.go", "package a\n\n// F is.\nfunc F() {}\n", ""},
		{"long file", "a.go", "package a" + long, "601 lines"},
		{"long test file", "a_test.go", "package a" + long, "601 lines"},
		{"long function", "a.go", "package a\nfunc f() {" + body + "}\n", "func f has 81 lines"},
		{"long function in a test", "a_test.go", "package a\nfunc f() {" + body + "}\n", ""},
		{"bare function", "a.go", "package a\nfunc F() {}\n", "exported F"},
		{"bare method", "a.go", "package a\n\n// T is.\ntype T[K any] struct{}\nfunc (t *T[K]) M() {}\n", "exported M"},
		{"method of a hidden type", "a.go", "package a\ntype t struct{}\nfunc (t) M() {}\n", ""},
		{"bare type", "a.go", "package a\ntype T struct{}\n", "exported T"},
		{"constants with comments beside them", "a.go", "package a\nconst (\n\tA = 1 // one\n\tB = 2 // two\n)\n", ""},
		{"one constant without", "a.go", "package a\nconst (\n\tA = 1 // one\n\tB = 2\n)\n", "exported B"},
		{"a comment above a block of values", "a.go", "package a\nvar (\n\t// A and B are.\n\tA = 1\n\tB = 2\n)\n", ""},
		{"a value below that block", "a.go", "package a\nvar (\n\t// A and B are.\n\tA = 1\n\tB = 2\n\n\tC = 3\n)\n", "exported C"},
		{"a program exports nothing", "a.go", "package main\nfunc F() {}\n", ""},
	} {
		found, err := inspect(tc.path, []byte(tc.src))
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		got := strings.Join(found, "\n")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) || len(found) > 1 {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
