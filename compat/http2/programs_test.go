package http2

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest/breaks"
)

// forPrograms tells which protocol a request came with, and echoes.
var forPrograms = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	http.NewResponseController(w).EnableFullDuplex() // for what comes over HTTP/1.1
	w.Header().Set("X-Proto", r.Proto)
	w.Header().Set("X-Method", r.Method)
	if r.Method == http.MethodGet {
		io.WriteString(w, "hello\n")
		return
	}
	io.Copy(w, r.Body)
})

// programPatience is how long a program may take on a busy machine; the JDK compiles first.
const programPatience = time.Minute

// say runs a program and returns what it printed.
func say(t *testing.T, path string, args ...string) string {
	t.Helper()
	p := program.Start(t, path, args...)
	if err := p.Wait(programPatience); err != nil {
		t.Errorf("%s %s: %v:\n%s", filepath.Base(path), strings.Join(args, " "), err, p.Said())
	}
	return p.Said()
}

// eachSite runs test on every server over both carriers.
func eachSite(t *testing.T, test func(t *testing.T, s *both.Site)) {
	t.Helper()
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			both.Run(t, forPrograms, test, append(slices.Clip(c.options), both.Native(asNative))...)
		})
	}
}

// upload is a file of letters.
func upload(t *testing.T, n int) (name, text string) {
	t.Helper()
	name, text = filepath.Join(t.TempDir(), "upload"), letters(n)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, text
}

// curl gets what it asks for over HTTP/2, with prior knowledge, by Upgrade and by ALPN.
func TestCurl(t *testing.T) {
	t.Parallel()
	curl := program.Find(t, "curl")
	if features, _ := exec.Command(curl, "--version").Output(); !strings.Contains(string(features), "HTTP2") {
		t.Skip("this curl has no HTTP/2")
	}
	name, text := upload(t, 300_000)
	eachSite(t, func(t *testing.T, s *both.Site) {
		ways := []string{"--http2-prior-knowledge", "--http2"} // in cleartext the second is an Upgrade
		for _, way := range ways {
			ask := func(args ...string) string {
				return say(t, curl, append([]string{"-sSk", "--max-time", "20", way, "-w", "[%{http_version} %{http_code}]"}, args...)...)
			}
			version := "2"
			if !s.Ours && way == "--http2" && strings.HasPrefix(s.URL, "http:") {
				version = "1.1" // net/http's server does not upgrade
			}
			if got, want := ask(s.URL), "hello\n["+version+" 200]"; got != want {
				t.Errorf("%s: %q, want %q", way, got, want)
			}
			if got := ask("-I", s.URL); !strings.Contains(strings.ToLower(got), "x-method: head") {
				t.Errorf("%s: HEAD: got %q", way, got)
			}
			if way == "--http2" && strings.HasPrefix(s.URL, "http:") {
				version = "1.1" // with a body ours does not either: it would have to be here whole before (RFC 7540 §3.2)
			}
			if got := ask("--data-binary", "@"+name, s.URL); got != text+"["+version+" 200]" {
				t.Errorf("%s: an upload: %d bytes, %.60q…", way, len(got), got)
			}
		}
	})
}

// nghttp gets what it asks for, and finds no fault.
func TestNghttp(t *testing.T) {
	t.Parallel()
	nghttp := program.Find(t, "nghttp")
	name, text := upload(t, 300_000)
	eachSite(t, func(t *testing.T, s *both.Site) {
		if got := say(t, nghttp, "-y", s.URL); got != "hello\n" {
			t.Errorf("GET: got %q, want %q", got, "hello\n")
		}
		if got := say(t, nghttp, "-y", "-d", name, s.URL); got != text {
			t.Errorf("an upload: %d bytes, %.60q…", len(got), got)
		}
		if got := say(t, nghttp, "-ynv", "--expect-continue", "-d", name, s.URL); !strings.Contains(got, ":status: 100") || !strings.Contains(got, ":status: 200") {
			t.Errorf("Expect: 100-continue: %s", got)
		}
		if s.Ours && strings.HasPrefix(s.URL, "http:") { // net/http's server does not upgrade
			if got := say(t, nghttp, "-yu", s.URL); got != "hello\n" {
				t.Errorf("an Upgrade: got %q, want %q", got, "hello\n")
			}
		}
	})
}

// h2load finishes its requests without an error.
func TestH2load(t *testing.T) {
	t.Parallel()
	h2load := program.Find(t, "h2load")
	name, _ := upload(t, 20_000)
	eachSite(t, func(t *testing.T, s *both.Site) {
		for _, args := range [][]string{{"-n2000", "-c10", "-m50"}, {"-n500", "-c5", "-m20", "-d" + name}, {"-n200", "-c2", "-m10", "-w10", "-W12", "-d" + name}} {
			if got := say(t, h2load, append(slices.Clip(args), s.URL)...); !strings.Contains(got, " 0 failed, 0 errored, 0 timeout") {
				t.Errorf(`%v: got %q, want " 0 failed, 0 errored, 0 timeout" in it`, args, got)
			}
		}
	})
}

// Honest load that looks like a flood is not cut off, on networks of several delays.
func TestH2loadIsHonest(t *testing.T) {
	t.Parallel()
	h2load := program.Find(t, "h2load")
	name, _ := upload(t, 200_000)
	refusing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		io.WriteString(w, letters(5000))
	})
	for _, line := range []struct {
		delay              time.Duration // each way
		uploads, downloads int
	}{{0, 3000, 300}, {time.Millisecond, 1000, 300}, {50 * time.Millisecond, 200, 20}} {
		for _, c := range carriers {
			t.Run(c.name+"/"+line.delay.String(), func(t *testing.T) {
				t.Parallel()
				both.Run(t, refusing, func(t *testing.T, s *both.Site) {
					url := farAway(t, s.URL, line.delay)
					up, down := strconv.Itoa(line.uploads), strconv.Itoa(line.downloads)
					for _, test := range []struct{ args, want []string }{
						{[]string{"-n" + up, "-c1", "-m100", "-d" + name}, []string{up + " done,", " 0 errored, 0 timeout", up + " 4xx"}},
						{[]string{"-n" + down, "-c1", "-m100", "-w8", "-W10"}, []string{down + " succeeded, 0 failed, 0 errored, 0 timeout"}},
					} {
						got := say(t, h2load, append(slices.Clip(test.args), url)...)
						for _, want := range test.want {
							if !strings.Contains(got, want) {
								t.Errorf("%v: want %q in %s", test.args, want, got)
							}
						}
					}
				}, c.options...)
			})
		}
	}
}

// farAway returns a site's URL at the end of a line that takes so long each way.
func farAway(t *testing.T, site string, line time.Duration) string {
	t.Helper()
	if line == 0 {
		return site
	}
	u, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	p := breaks.New(t, u.Host)
	p.Delay(line)
	u.Host = p.Addr()
	return u.String()
}

// pythonWithHTTPX is a Python with that package, or the test is skipped.
func pythonWithHTTPX(t *testing.T) string {
	t.Helper()
	python := program.Find(t, "python3")
	if exec.Command(python, "-c", "import httpx, h2").Run() != nil {
		t.Skip("no Python package httpx[http2]: scripts/peers installs it")
	}
	return python
}

// Clients in other languages get what they should.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		name string
		find func(t *testing.T) []string
	}{
		{"client.py", func(t *testing.T) []string { return []string{pythonWithHTTPX(t)} }},
		{"node.cjs", func(t *testing.T) []string { return []string{program.Find(t, "node")} }},
		{"Client.java", func(t *testing.T) []string {
			program.Find(t, "javac") // java runs single sources with it
			return []string{program.Find(t, "java"), "-XX:TieredStopAtLevel=1", "-Djdk.internal.httpclient.disableHostnameVerification=true"}
		}},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			command := append(r.find(t), filepath.Join("testdata", r.name))
			eachSite(t, func(t *testing.T, s *both.Site) {
				if !s.Ours && r.name == "Client.java" && strings.HasPrefix(s.URL, "http:") {
					t.Skip("net/http's server does not upgrade, and the JDK knows no other way")
				}
				if got := say(t, command[0], append(slices.Clip(command[1:]), s.URL)...); !strings.Contains(got, "all is well") {
					t.Errorf(`got %q, want "all is well" in it`, got)
				}
			})
		})
	}
}
