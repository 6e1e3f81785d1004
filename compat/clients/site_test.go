package clients

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// site is what every server serves: text.txt, a folder with an index, and large; and below up what says the sum of what it
// is sent, directly or by a proxy.
type site struct {
	dir    string // which holds the files of the server, and files
	files  string
	up     string // the URL of a server of net/http that has only that
	trust  *tls.Config
	server *tls.Config
	ports  map[string]string // by version, and with an s behind it for TLS
}

const largeSize = 200 << 20

// text is long enough for servers to compress it.
var text = strings.Repeat("some text that other people's servers serve\n", 1000)

func newSite(t *testing.T) *site {
	t.Helper()
	// Not t.TempDir, into which servers that become another user cannot look.
	dir, err := os.MkdirTemp("", "clients")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &site{dir: dir, files: filepath.Join(dir, "files"), ports: map[string]string{}}
	check(t, os.Chmod(dir, 0o755))
	check(t, os.MkdirAll(filepath.Join(s.files, "folder"), 0o755))
	s.write(t, "files/text.txt", text)
	s.write(t, "files/folder/index.html", "the index")
	f, err := os.Create(filepath.Join(s.files, "large"))
	check(t, err)
	_, err = io.Copy(f, &pattern{left: largeSize})
	check(t, err)
	check(t, f.Close())
	s.server, s.trust = both.Secure(t)
	s.trust.ServerName = ""
	s.writeCertificate(t)
	up := httptest.NewServer(http.HandlerFunc(sum))
	t.Cleanup(up.Close)
	s.up = up.URL
	for _, kind := range []string{"HTTP/1.1", "HTTP/1.1s", "HTTP/2.0", "HTTP/2.0s"} {
		s.ports[kind] = freePort(t)
	}
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *site) write(t *testing.T, name, what string) (path string) {
	t.Helper()
	path = filepath.Join(s.dir, name)
	check(t, os.WriteFile(path, []byte(what), 0o644))
	return path
}

// writeCertificate writes the certificate of all sites with TLS for servers that read it from files.
func (s *site) writeCertificate(t *testing.T) {
	cert := s.server.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	check(t, err)
	s.write(t, "certificate.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})))
	s.write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
}

// expand fills in what a configuration needs.
func (s *site) expand(conf string) string {
	return strings.NewReplacer("DIR", s.dir, "UP", strings.TrimPrefix(s.up, "http://"),
		"PLAIN1", s.ports["HTTP/1.1"], "SECURE1", s.ports["HTTP/1.1s"], "PLAIN2", s.ports["HTTP/2.0"], "SECURE2", s.ports["HTTP/2.0s"]).Replace(conf)
}

// url is where the server speaks a version.
func (s *site) url(v version, secure bool) string {
	if secure {
		return "https://127.0.0.1:" + s.ports[string(v)+"s"]
	}
	return "http://127.0.0.1:" + s.ports[string(v)]
}

// await waits until somebody listens on a port.
func (s *site) await(t *testing.T, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		for end := time.Now().Add(both.Patience); ; time.Sleep(5 * time.Millisecond) {
			nc, err := net.Dial("tcp", "127.0.0.1:"+s.ports[kind])
			if err == nil {
				nc.Close()
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %v", kind, err)
			}
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// sum responds with the length and the sum of what it is sent.
func sum(w http.ResponseWriter, r *http.Request) {
	h := sha256.New()
	n, err := io.Copy(h, r.Body)
	fmt.Fprintln(w, r.Method, n, hex.EncodeToString(h.Sum(nil)), err)
}

// pattern returns a reader of n bytes, which repeat after a prime number of them.
type pattern struct{ at, left int64 }

var period = func() []byte {
	b := make([]byte, 65537)
	for i := range b {
		b[i] = byte(i*i>>3 ^ i)
	}
	return b
}()

// Read implements io.Reader.
func (p *pattern) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(int64(len(b)), p.left)], period[p.at%int64(len(period)):])
	p.at, p.left = p.at+int64(n), p.left-int64(n)
	return n, nil
}
