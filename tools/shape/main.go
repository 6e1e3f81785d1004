// Command shape reports files and functions of a Go tree that are too long, and exported names without a doc comment. It
// prints one line for each, and exits with status 1 if there is any.
//
// Usage: shape [DIR]
//
// In test files only the length of the file is checked: tables in tests may be long, and tests export nothing.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxFileLines = 600
	maxFuncLines = 80
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	found, err := walk(root)
	for _, line := range found {
		fmt.Println(line)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shape:", err)
		os.Exit(2)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// walk returns the findings in all Go files below root, except in hidden directories and testdata.
func walk(root string) (found []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines, err := inspect(path, src)
		found = append(found, lines...)
		return err
	})
	return found, err
}

// inspect returns the findings in one file.
func inspect(path string, src []byte) (found []string, err error) {
	if n := bytes.Count(src, []byte("\n")); n > maxFileLines {
		found = append(found, fmt.Sprintf("%s: %d lines, more than %d", path, n, maxFileLines))
	}
	if strings.HasSuffix(path, "_test.go") {
		return found, nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	if err != nil {
		return found, err
	}
	say := func(n ast.Node, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s: %s", fset.Position(n.Pos()), fmt.Sprintf(format, args...)))
	}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > maxFuncLines {
				say(fn, "func %s has %d lines, more than %d", fn.Name.Name, n, maxFuncLines)
			}
		}
		if f.Name.Name == "main" {
			continue
		}
		for _, id := range undocumented(fset, decl) {
			say(id, "exported %s has no doc comment", id.Name)
		}
	}
	return found, nil
}

// undocumented returns the exported names that decl declares without a comment before them or on the same line.
func undocumented(fset *token.FileSet, decl ast.Decl) (ids []*ast.Ident) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Doc == nil && decl.Name.IsExported() && exportedReceiver(decl.Recv) {
			ids = append(ids, decl.Name)
		}
	case *ast.GenDecl:
		if decl.Doc != nil {
			return nil
		}
		covered := 0 // the line after the last value of a block that begins with a comment
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
					ids = append(ids, spec.Name)
				}
			case *ast.ValueSpec:
				if spec.Doc != nil || fset.Position(spec.Pos()).Line == covered {
					covered = fset.Position(spec.End()).Line + 1
				} else if spec.Comment == nil {
					ids = append(ids, exported(spec.Names)...)
				}
			}
		}
	}
	return ids
}

func exported(names []*ast.Ident) (ids []*ast.Ident) {
	for _, id := range names {
		if id.IsExported() {
			ids = append(ids, id)
		}
	}
	return ids
}

// exportedReceiver reports whether the receiver of a method has an exported type. It returns true for a function.
func exportedReceiver(recv *ast.FieldList) bool {
	if recv == nil {
		return true
	}
	t := recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}
