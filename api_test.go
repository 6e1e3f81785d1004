package shockwave_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var writeAPI = flag.Bool("api", false, "rewrite the files in api/, which list what packages export")

// The exported names of a package change only together with its list in api/, so that each change shows in the diff.
func TestAPI(t *testing.T) {
	for dir, name := range facing(t) {
		lines := surface(t, dir)
		if len(lines) == 0 {
			continue
		}
		got := strings.Join(lines, "\n") + "\n"
		file := filepath.Join("api", name+".txt")
		if *writeAPI {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		listed, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v: make it with go test . -run TestAPI -api", err)
		} else if string(listed) != got {
			t.Errorf("%s does not list what %s exports: rewrite it with go test . -run TestAPI -api, and look at the difference:\n%s", file, dir, difference(string(listed), got))
		}
	}
	listed, _ := filepath.Glob("api/*.txt")
	for _, file := range listed {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if dir := strings.ReplaceAll(name, "-", "/"); name != "shockwave" && !isDir(dir) {
			t.Errorf("%s lists a package that there is not", file)
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// difference returns the lines that only one of two lists has.
func difference(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var out strings.Builder
	for _, line := range a {
		if !slices.Contains(b, line) {
			out.WriteString("-" + line + "\n")
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out.WriteString("+" + line + "\n")
		}
	}
	return out.String()
}

// facing returns the folders of the packages that users import, and the names of their lists.
func facing(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{".": "shockwave"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == "." {
			return err
		}
		switch d.Name() {
		case "internal", "testdata", "cmd", "bench", "compat", "tools", "examples", "tmp", "node_modules":
			return filepath.SkipDir
		}
		if strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			found[path] = strings.ReplaceAll(filepath.ToSlash(path), "/", "-")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// surface returns a line for each name that a package exports, on any system, in order. What comes from embedded types is not
// listed again.
func surface(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				lines = append(lines, funcLine(d)...)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					lines = append(lines, specLines(d.Tok, spec)...)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// isHidden reports whether a type is one of this package that users cannot name.
func isHidden(t ast.Expr) bool {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	name, ok := t.(*ast.Ident)
	return ok && !name.IsExported() && name.Name != "error"
}

// funcLine returns the line of a function, or of a method of an exported type.
func funcLine(d *ast.FuncDecl) []string {
	if !d.Name.IsExported() {
		return nil
	}
	if d.Recv == nil {
		return []string{"func " + d.Name.Name + parameters(d.Type.TypeParams) + signature(d.Type)}
	}
	of := d.Recv.List[0].Type
	base := of
	if star, ok := base.(*ast.StarExpr); ok {
		base = star.X
	}
	if index, ok := base.(*ast.IndexExpr); ok {
		base = index.X
	}
	if name, ok := base.(*ast.Ident); !ok || !name.IsExported() {
		return nil
	}
	return []string{"method (" + text(of) + ") " + d.Name.Name + signature(d.Type)}
}

// specLines returns the lines of constants, variables or a type.
func specLines(kind token.Token, spec ast.Spec) (lines []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				lines = append(lines, strings.TrimSpace(kind.String()+" "+name.Name+" "+text(s.Type)))
			}
		}
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			lines = typeLines("type "+s.Name.Name+parameters(s.TypeParams), s)
		}
	}
	return lines
}

// typeLines returns the lines of a type, its exported fields and its methods if it is an interface.
func typeLines(head string, s *ast.TypeSpec) []string {
	if s.Assign.IsValid() {
		return []string{head + " = " + text(s.Type)}
	}
	switch u := s.Type.(type) {
	case *ast.StructType:
		lines := []string{head + " struct"}
		for _, f := range u.Fields.List {
			for _, name := range f.Names {
				if name.IsExported() {
					lines = append(lines, head+" struct, "+name.Name+" "+text(f.Type))
				}
			}
			if len(f.Names) == 0 && !isHidden(f.Type) {
				lines = append(lines, head+" struct, embedded "+text(f.Type))
			}
		}
		return lines
	case *ast.InterfaceType:
		lines := []string{head + " interface"}
		for _, f := range u.Methods.List {
			fn, isMethod := f.Type.(*ast.FuncType)
			for _, name := range f.Names {
				if isMethod {
					lines = append(lines, head+" interface, "+name.Name+signature(fn))
				}
			}
			if len(f.Names) == 0 {
				lines = append(lines, head+" interface, embedded "+text(f.Type))
			}
		}
		return lines
	}
	return []string{head + " " + text(s.Type)}
}

// signature returns the types of a function's parameters and results, without their names.
func signature(f *ast.FuncType) string {
	out := "(" + types(f.Params) + ")"
	switch results := types(f.Results); {
	case results == "":
	case strings.Contains(results, ", "):
		out += " (" + results + ")"
	default:
		out += " " + results
	}
	return out
}

// types returns the types of a list of fields.
func types(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var all []string
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			all = append(all, text(f.Type))
		}
	}
	return strings.Join(all, ", ")
}

// parameters returns a list of type parameters.
func parameters(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var all []string
	for _, f := range list.List {
		for _, name := range f.Names {
			all = append(all, name.Name+" "+text(f.Type))
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// text returns an expression on one line.
func text(e ast.Expr) string {
	if e == nil {
		return ""
	}
	if f, ok := e.(*ast.FuncType); ok {
		return "func" + signature(f)
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
