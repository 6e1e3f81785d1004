package clients

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// servers start other people's servers for a site.
var servers = []struct {
	name  string
	start func(t *testing.T, s *site)
	lacks string // what the server does not have
}{
	{"net/http", startStandard, "gzip"},
	{"nginx", startNginx, ""},
	{"Apache", startApache, ""},
	{"h2o", startH2O, ""},
	{"nghttpd", startNghttpd, "HTTP/1.1 gzip up range"},
	{"Node.js", startNode, "range"},
}

var allKinds = []string{"HTTP/1.1", "HTTP/1.1s", "HTTP/2.0", "HTTP/2.0s"}

func startNginx(t *testing.T, s *site) {
	path := program.Find(t, "nginx", "/usr/sbin/nginx")
	program.Start(t, path, "-p", s.dir, "-e", "stderr", "-c", s.configuration(t, "nginx.conf"))
	s.await(t, allKinds...)
}

func startApache(t *testing.T, s *site) {
	path := program.Find(t, "apache2", "/usr/sbin/apache2")
	program.Start(t, path, "-X", "-f", s.configuration(t, "apache.conf"))
	s.await(t, allKinds...)
}

func startH2O(t *testing.T, s *site) {
	program.Start(t, program.Find(t, "h2o"), "-c", s.configuration(t, "h2o.yaml"))
	s.await(t, allKinds...)
}

func startNghttpd(t *testing.T, s *site) {
	path := program.Find(t, "nghttpd", "/usr/sbin/nghttpd")
	program.Start(t, path, "-a", "127.0.0.1", "-d", s.files, "--no-tls", s.ports["HTTP/2.0"])
	program.Start(t, path, "-a", "127.0.0.1", "-d", s.files, s.ports["HTTP/2.0s"], s.dir+"/key.pem", s.dir+"/certificate.pem")
	s.await(t, "HTTP/2.0", "HTTP/2.0s")
}

func startNode(t *testing.T, s *site) {
	args := []string{"testdata/node.cjs", s.dir}
	for _, kind := range allKinds {
		args = append(args, s.ports[kind])
	}
	program.Start(t, program.Find(t, "node"), args...)
	s.await(t, allKinds...)
}

// configuration writes a server's configuration and returns where it is.
func (s *site) configuration(t *testing.T, name string) string {
	t.Helper()
	conf, err := os.ReadFile("testdata/" + name)
	check(t, err)
	user := ""
	if os.Geteuid() == 0 { // they want to be somebody else then
		user = map[string]string{"apache.conf": "User nobody\nGroup nogroup", "h2o.yaml": "user: root"}[name]
	}
	return s.write(t, name, s.expand(strings.Replace(string(conf), "USER", user, 1)))
}

func startStandard(t *testing.T, s *site) {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(s.files)))
	mux.HandleFunc("/up", sum)
	for _, kind := range allKinds {
		srv := &http.Server{Handler: mux, Protocols: protocols(version(strings.TrimSuffix(kind, "s"))), TLSConfig: &tls.Config{Certificates: s.server.Certificates}}
		l, err := net.Listen("tcp", "127.0.0.1:"+s.ports[kind])
		check(t, err)
		ended := make(chan error)
		go func() {
			if strings.HasSuffix(kind, "s") {
				ended <- srv.ServeTLS(l, "", "")
			} else {
				ended <- srv.Serve(l)
			}
		}()
		t.Cleanup(func() { srv.Close(); <-ended })
	}
}
