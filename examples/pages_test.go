//go:build unix

package examples_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// surroundings declares what the pieces of code in the pages use without declaring it.
const surroundings = `package pages

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
	"fmt"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/nethttp/nethttptest"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/streamsock"
	"github.com/shockwave-go/shockwave/tcpmux"
	"github.com/shockwave-go/shockwave/websocket"
)

var (
	ctx           context.Context
	t             *testing.T
	s             *streamsock.Socket
	w             *server.ResponseWriter
	r             *server.Request
	addr          string
	mux, adminMux http.Handler
	h             http.Handler
	std           *http.Server
	srv           *nethttp.Server
	group         *websocket.Group
	c             *websocket.Conn
	p             []byte
	cfg           *tls.Config
	logger        *log.Logger
	load          func(id, fields []byte) []byte
	answer        func([]byte) []byte
)
`

// The code on the pages for users compiles, except what the pages leave out.
func TestCodeOfPages(t *testing.T) {
	elsewhere := regexp.MustCompile(`(?s)^// fasthttp\n.*?\n(// server\n)`) // code for another package, in front of ours
	function := regexp.MustCompile(`(?m)^func (\w+)\(`)
	omitted := regexp.MustCompile(`(?m)^(\t*\.\.\.|import .*)$`)
	var code bytes.Buffer
	code.WriteString(surroundings)
	pieces := 0
	dir := t.TempDir()
	var files []string // whole programs, each to be built by itself
	for _, name := range []string{"client", "migrating", "nethttp", "nethttp-differences", "server", "streamsock", "tcpmux", "websocket"} {
		page, err := os.ReadFile("../docs/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range goCode.FindAllSubmatchIndex(page, -1) {
			pieces++
			piece := page[m[2]:m[3]]
			line := 1 + bytes.Count(page[:m[2]], []byte("\n"))
			if ours := elsewhere.FindSubmatchIndex(piece); ours != nil {
				line += bytes.Count(piece[:ours[2]], []byte("\n"))
				piece = piece[ours[2]:]
			}
			if bytes.HasPrefix(piece, []byte("package ")) {
				file := filepath.Join(dir, fmt.Sprintf("program%d.go", pieces))
				if err := os.WriteFile(file, fmt.Appendf(nil, "//line docs/%s.md:%d\n%s", name, line, piece), 0o600); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
				continue
			}
			piece = function.ReplaceAll(omitted.ReplaceAll(piece, nil), []byte("$1 := func("))
			fmt.Fprintf(&code, "\nfunc _() {\n//line docs/%s.md:%d\n%s}\n", name, line, piece)
		}
	}
	if pieces < 10 {
		t.Errorf("the pages have %d pieces of code, which is too few", pieces)
	}
	file := filepath.Join(dir, "pages.go")
	if err := os.WriteFile(file, code.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, file) {
		out, err := exec.Command("go", "build", "-o", os.DevNull, "-gcflags=-e", file).CombinedOutput()
		complaints := slices.DeleteFunc(strings.Split(string(out), "\n"), func(line string) bool {
			return line == "" || strings.HasPrefix(line, "# ") || strings.Contains(line, "declared and not used") || strings.Contains(line, "imported and not used")
		})
		if len(complaints) > 0 {
			t.Errorf("%v\n%s", err, strings.Join(complaints, "\n"))
		}
	}
}
