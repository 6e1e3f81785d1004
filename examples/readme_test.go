//go:build unix

package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goCode = regexp.MustCompile("(?s)```go\n(.*?)```")

// around is a program around code that is the inside of a function.
const around = `package main

import (
	"log"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

var (
	_ = log.Fatal
	_ http.Handler
	_ server.Handler
	_ websocket.Config
)

func main() {
%s}
`

// The code of the README compiles as it stands there.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goCode.FindAllSubmatch(page, -1)
	if len(blocks) < 3 {
		t.Errorf("the README has %d pieces of code, want one of each face", len(blocks))
	}
	for i, m := range blocks {
		code := string(m[1])
		if !strings.HasPrefix(code, "package ") {
			code = fmt.Sprintf(around, code)
		}
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("piece %d: %v\n%s\n%s", i+1, err, out, code)
		}
	}
}

// The list of examples has all of them.
func TestListOfExamples(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		if !strings.Contains(string(page), "("+name+")") {
			t.Errorf("README.md does not list %s", name)
		}
	}
}
