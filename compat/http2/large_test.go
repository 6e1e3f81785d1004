package http2

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// largeEnv is how many MB go each way in TestLarge; mostGrown is by how much our process may grow meanwhile, in KiB.
const (
	largeEnv  = "SHOCKWAVE_LARGE"
	mostGrown = 64 << 10
)

// largeClients print the sum of what they get from $0/down, and what $0/up says of the file $1.
var largeClients = []struct{ name, down, up string }{
	{"curl", "curl -sSk --http2 $0/down | sha256sum", "curl -sSk --http2 -T $1 $0/up"},
	{"nghttp", "nghttp -y $0/down | sha256sum", `nghttp -y -H ":method: PUT" -d $1 $0/up`},
	{"node", "node testdata/large.cjs $0", "node testdata/large.cjs $0 $1"},
	{"httpx", "$PYTHON testdata/large.py $0", "$PYTHON testdata/large.py $0 $1"},
	{"java", javaLarge + " $0", javaLarge + " $0 $1"},
}

// javaLarge runs the JDK's client, with less memory than the bodies are long.
const javaLarge = "java -Xmx256m -Djdk.internal.httpclient.disableHostnameVerification=true -cp $CLASSES Large"

// Bodies larger than all windows arrive whole, and the server's memory does not grow with them. scripts/large does
// this with a gigabyte.
func TestLarge(t *testing.T) {
	mb, _ := strconv.Atoi(os.Getenv(largeEnv))
	long := mb > 0
	if !long {
		mb = 8
	}
	size := int64(mb) << 20
	sum := hashOf(&bytesOf{left: size})
	file := filepath.Join(t.TempDir(), "upload")
	writeFile(t, file, size)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /down", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, &bytesOf{left: size}) })
	mux.HandleFunc("PUT /up", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, hashOf(r.Body)) })
	for _, c := range largeClients {
		t.Run(c.name, func(t *testing.T) {
			switch c.name {
			case "httpx":
				t.Setenv("PYTHON", pythonWithHTTPX(t))
			case "java":
				if !long {
					t.Skip("a JVM starts slowly: scripts/large plays this")
				}
				program.Find(t, c.name)
				compileJava(t)
			default:
				program.Find(t, c.name)
			}
			both.Run(t, mux, func(t *testing.T, s *both.Site) {
				before := forgetPeak()
				down := timed(t, sum, c.down, s.URL)
				up := timed(t, sum, c.up, s.URL, file)
				if !long {
					return // others work in this process meanwhile
				}
				most := peak()
				grown := most - before
				t.Logf("%d MB down in %.1f s, up in %.1f s; the server's process grew by %d KiB, to %d", mb, down, up, grown, most)
				if s.Ours && grown > mostGrown {
					t.Errorf("that is more than %d KiB", mostGrown)
				}
			}, both.HTTP2, both.TLS, both.Native(asNative))
		})
	}
}

// compileJava leaves javaLarge's class where CLASSES says.
func compileJava(t *testing.T) {
	t.Helper()
	t.Setenv("CLASSES", t.TempDir())
	javac := program.Find(t, "javac")
	if said, err := exec.Command(javac, "-d", os.Getenv("CLASSES"), "testdata/Large.java").CombinedOutput(); err != nil {
		t.Fatalf("javac: %v: %s", err, said)
	}
}

// timed runs a client's command, which must print sum, and returns how many seconds that took.
func timed(t *testing.T, sum, command string, args ...string) float64 {
	t.Helper()
	began := time.Now()
	said, err := exec.CommandContext(t.Context(), "bash", append([]string{"-c", command}, args...)...).CombinedOutput()
	if got, _, _ := strings.Cut(string(said), " "); err != nil || strings.TrimSpace(got) != sum {
		t.Errorf("%s: %v: %.200q, want %s", command, err, said, sum)
	}
	return time.Since(began).Seconds()
}

// bytesOf is a reader of so many bytes, which repeat after a prime number of them.
type bytesOf struct{ at, left int64 }

var random = func() []byte {
	b := make([]byte, 1048573)
	rand.NewChaCha8([32]byte{'l', 'a', 'r', 'g', 'e'}).Read(b)
	return b
}()

// Read implements io.Reader.
func (r *bytesOf) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	from := r.at % int64(len(random))
	n := copy(p[:min(int64(len(p)), r.left)], random[from:])
	r.at, r.left = r.at+int64(n), r.left-int64(n)
	return n, nil
}

func hashOf(r io.Reader) string {
	sum := sha256.New()
	io.CopyBuffer(struct{ io.Writer }{sum}, r, make([]byte, 64<<10))
	return hex.EncodeToString(sum.Sum(nil))
}

func writeFile(t *testing.T, name string, size int64) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, &bytesOf{left: size}); err != nil {
		t.Fatal(err)
	}
}

// forgetPeak returns what this process has in memory now, in KiB, from which on peak counts. Elsewhere than on Linux both
// are 0.
func forgetPeak() int {
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return peak()
}

func peak() (kib int) {
	status, _ := os.ReadFile("/proc/self/status")
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(line, &kib)
	return kib
}
