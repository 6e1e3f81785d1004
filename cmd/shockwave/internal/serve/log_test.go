package serve

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// The log gets one line for each request, appended to the file.
func TestAccessLog(t *testing.T) {
	dir, file := filesDir(t), filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(file, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := func(n int) { // a line may come after the answer that it tells of
		for end := time.Now().Add(clitest.Patience); ; time.Sleep(time.Millisecond) {
			if said, _ := os.ReadFile(file); strings.Count(string(said), "\n") >= n {
				return
			} else if time.Now().After(end) {
				t.Fatalf("no line %d in\n%s", n, said)
			}
		}
	}
	t.Run("serving", func(t *testing.T) { // which has ended when the file is read
		r := clitest.Serve(t, Options{dir: dir, logFile: file})
		r.Do("GET", "/a.txt?q=1", "Referer: http://x/", `User-Agent: odd "one"`)
		lines(2)
		r.Do("GET", "/a.txt", "Range: bytes=2-4")
		lines(3)
		r.Do("GET", "/missing")
		lines(4)
		page := clitest.Serve(t, Options{logFile: file})
		page.Do("GET", "/plaintext")
		lines(5)
		k := page.Hello("/ws")
		k.SayFrame(clitest.Fin|clitest.Closes, "\x03\xe8")
		k.WantFrame("it is closed", clitest.Fin|clitest.Closes, "\x03\xe8")
		k.WantEnd()
		lines(6)
	})
	said, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const at = `127\.0\.0\.1 - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] `
	for i, want := range []string{
		"before",
		at + `"GET /a.txt\?q=1 HTTP/1\.1" 200 10 "http://x/" "odd \\x22one\\x22" \d+\.\d{6}`,
		at + `"GET /a.txt HTTP/1\.1" 206 3 "-" "Go-http-client/1\.1" \d+\.\d{6}`,
		at + `"GET /missing HTTP/1\.1" 404 22 "-" "Go-http-client/1\.1" \d+\.\d{6}`,
		at + `"GET /plaintext HTTP/1\.1" 200 - "-" "Go-http-client/1\.1" \d+\.\d{6}`,
		at + `"GET /ws HTTP/1\.1" 101 - "-" "-" \d+\.\d{6}`,
	} {
		lines := strings.Split(string(said), "\n")
		if i >= len(lines) || !regexp.MustCompile("^"+want+"$").MatchString(lines[i]) {
			t.Errorf("line %d is not %s in\n%s", i, want, said)
		}
	}
}
