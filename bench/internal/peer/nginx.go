package peer

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// nginxConf configures nginx to run in a single process, which is the one that is measured.
const nginxConf = `daemon off;
master_process off;
worker_processes 1;
pid DIR/nginx.pid;
error_log stderr crit;
events { worker_connections 16384; }
http {
	access_log off;
	server_tokens off;
	keepalive_requests 1000000000;
	keepalive_timeout 10m;
	sendfile on;
	tcp_nopush on;
	etag off;
	open_file_cache max=16;
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;
	server {
		listen ADDR backlog=4096;
LOCATIONS	}
}
`

// FindNginx returns the path of the program, or an error if it is not installed.
func FindNginx() (string, error) {
	if path, err := exec.LookPath("nginx"); err == nil {
		return path, nil
	}
	if path, err := exec.LookPath("/usr/sbin/nginx"); err == nil { // where Debian installs it; only in root's PATH
		return path, nil
	}
	return "", fmt.Errorf("nginx is not installed")
}

// BecomeNginx writes a configuration and the files that it names to dir and replaces this process by nginx, which listens on
// addr. Its port must not be 0, because nginx does not choose a free port.
func BecomeNginx(dir, addr string) error {
	path, err := FindNginx()
	if err != nil {
		return err
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(ConfigureNginx(dir, addr)), 0o644); err != nil {
		return err
	}
	if err := errors.Join(WriteResponses(dir), OpenMany()); err != nil {
		return err
	}
	return syscall.Exec(path, []string{"nginx", "-p", dir, "-e", "stderr", "-c", conf}, os.Environ())
}

// WriteResponses writes the bodies of all responses to dir, each in a file named after its path.
func WriteResponses(dir string) error {
	for _, a := range Responses {
		if err := os.WriteFile(filepath.Join(dir, a.Path), a.Body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// OpenMany raises the limit of open files to the maximum for this process and for the program that replaces it. Go's runtime
// does that only for the Go program itself.
func OpenMany() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

// ConfigureNginx returns a configuration that has the small responses in it and serves the large ones from files in dir.
func ConfigureNginx(dir, addr string) string {
	var b strings.Builder
	for _, a := range Responses {
		how := fmt.Sprintf("return 200 '%s';", a.Body)
		switch {
		case a.Close:
			how = "keepalive_timeout 0; " + how
		case len(a.Body) > 4<<10:
			how = fmt.Sprintf("alias %s;", filepath.Join(dir, a.Path))
		}
		fmt.Fprintf(&b, "\t\tlocation = %s { default_type '%s'; %s }\n", a.Path, a.ContentType, how)
	}
	return strings.NewReplacer("DIR", dir, "ADDR", addr, "LOCATIONS", b.String()).Replace(nginxConf)
}

// FreeAddr returns an address of this machine with a port that was free a moment ago.
func FreeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
