// Package http3 has tests of HTTP/3 with programs of others: the program shockwave, as server and as client, aioquic and libcurl.
package http3

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/program"
)

const patience = time.Minute

// pythonWith is a Python with a package, or the test is skipped.
func pythonWith(t *testing.T, name string) string {
	t.Helper()
	python := program.Find(t, "python3")
	if exec.Command(python, "-c", "import "+name).Run() != nil {
		t.Skip("no Python package " + name + ": scripts/peers installs it")
	}
	return python
}

// libcurl, with ngtcp2 and nghttp3, understands the server, with both kinds of handler.
func TestCurl(t *testing.T) {
	python, ours := pythonWith(t, "curl_cffi"), program.Shockwave(t)
	for _, native := range []string{"-native=false", "-native"} {
		server := program.Start(t, ours, "echo", "-h3", native, "-addr", "127.0.0.1:0")
		addr, _, _ := strings.Cut(server.After("listening on https://"), "/")
		client := program.Start(t, python, filepath.Join("testdata", "curl.py"), "https://"+addr)
		if err := client.Wait(patience); err != nil || !strings.Contains(client.Said(), "all is well") {
			t.Errorf("%s: %v:\n%s", native, err, client.Said())
		}
	}
}

// aioquic's client understands the server, with both kinds of handler.
func TestAioquicAsClient(t *testing.T) {
	python, ours := pythonWith(t, "aioquic"), program.Shockwave(t)
	for _, native := range []string{"-native=false", "-native"} {
		server := program.Start(t, ours, "echo", "-h3", native, "-addr", "127.0.0.1:0")
		addr, _, _ := strings.Cut(server.After("listening on https://"), "/")
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			t.Fatal(err)
		}
		client := program.Start(t, python, filepath.Join("testdata", "client.py"), host, port)
		if err := client.Wait(patience); err != nil || !strings.Contains(client.Said(), "all is well") {
			t.Errorf("%s: %v:\n%s", native, err, client.Said())
		}
	}
}

// certificate writes a certificate and its key into files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	c := s.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: c.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// The client and the load generator understand aioquic's server.
func TestAioquicAsServer(t *testing.T) {
	python, ours := pythonWith(t, "aioquic"), program.Shockwave(t)
	cert, key := certificate(t)
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := pc.LocalAddr().(*net.UDPAddr)
	pc.Close()
	program.Start(t, python, filepath.Join("testdata", "server.py"), cert, key, strconv.Itoa(addr.Port)).After("serving")

	type line struct {
		Status int
		Proto  string
		Length int
		Body   string
	}
	want := map[string]line{
		"/hello":          {200, "HTTP/3.0", 6, "/hello"},
		"/unknown-length": {200, "HTTP/3.0", 15, "/unknown-length"},
		"/early":          {200, "HTTP/3.0", 6, "/early"},
		"/trailers":       {200, "HTTP/3.0", 9, "/trailers"},
		"/here":           {200, "HTTP/3.0", 6, "/there"},
		"/big/3000000":    {200, "HTTP/3.0", 3_000_000, strings.Repeat("x", 64)},
	}
	var paths, urls []string
	for path := range want {
		paths, urls = append(paths, path), append(urls, "https://"+addr.String()+path)
	}
	get := program.Start(t, ours, append([]string{"get", "-h3", "-k", "-c", "3"}, urls...)...)
	if err := get.Wait(patience); err != nil {
		t.Fatalf("%v:\n%s", err, get.Said())
	}
	lines := strings.Split(strings.TrimSpace(get.Said()), "\n")
	if len(lines) != len(paths) {
		t.Fatalf("%d lines:\n%s", len(lines), get.Said())
	}
	for i, path := range paths {
		var got line
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil || got != want[path] {
			t.Errorf("%s: got %s, %v", path, lines[i], err)
		}
	}
	bench := program.Start(t, ours, "bench", "-h3", "-k", "-c", "2", "-m", "10", "-n", "400", "-same", "-data", "hello", "https://"+addr.String()+"/")
	if err := bench.Wait(patience); err != nil || !strings.Contains(bench.Said(), "400 answered as expected") {
		t.Errorf("%v:\n%s", err, bench.Said())
	}
}
