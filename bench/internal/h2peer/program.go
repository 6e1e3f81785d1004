package h2peer

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/server"
)

// Find returns the path of a peer's program, "" if the peer runs inside this program, or an error if the program is not
// installed.
func Find(name string) (string, error) {
	switch name {
	case Nginx:
		return peer.FindNginx()
	case Nghttpd, H2O:
		for _, file := range []string{name, filepath.Join("/usr/sbin", name)} { // where Debian installs servers
			if path, err := exec.LookPath(file); err == nil {
				return path, nil
			}
		}
		return "", fmt.Errorf("%s is not installed", name)
	}
	return "", nil
}

// Become writes the served files and the configuration to dir, and replaces this process by the peer's program, which
// listens on addr.
func Become(name, dir, addr string, withTLS bool) error {
	path, err := Find(name)
	if err == nil && path == "" {
		err = fmt.Errorf("%s is no program", name)
	}
	if err != nil {
		return err
	}
	if err := peer.WriteResponses(dir); err != nil {
		return err
	}
	if withTLS {
		if err := WriteCertificate(dir); err != nil {
			return err
		}
	}
	args, err := prepare(name, dir, addr, withTLS)
	if err != nil {
		return err
	}
	if err := peer.OpenMany(); err != nil {
		return err
	}
	return syscall.Exec(path, append([]string{name}, args...), os.Environ())
}

// prepare writes the configuration, if the program has one, and returns its arguments.
func prepare(name, dir, addr string, withTLS bool) (args []string, err error) {
	conf := filepath.Join(dir, name+".conf")
	switch name {
	case Nghttpd:
		return nghttpdArguments(dir, addr, withTLS)
	case Nginx:
		return []string{"-p", dir, "-e", "stderr", "-c", conf}, os.WriteFile(conf, []byte(configureNginx(dir, addr, withTLS)), 0o644)
	}
	return []string{"-c", conf}, os.WriteFile(conf, []byte(configureH2O(dir, addr, withTLS)), 0o644)
}

func nghttpdArguments(dir, addr string, withTLS bool) ([]string, error) {
	host, port, err := net.SplitHostPort(addr)
	args := []string{"-a", host, "-d", dir}
	if withTLS {
		return append(args, port, keyFile(dir), certificateFile(dir)), err
	}
	return append(args, "--no-tls", port), err
}

// configureNginx returns a configuration with HTTP/2 only: before 1.25 a port without TLS has one protocol.
func configureNginx(dir, addr string, withTLS bool) string {
	conf := peer.ConfigureNginx(dir, addr)
	listen := "listen " + addr
	secure := ""
	if withTLS {
		secure = fmt.Sprintf(" ssl;\n\t\tssl_protocols TLSv1.3;\n\t\tssl_certificate %s;\n\t\tssl_certificate_key %s", certificateFile(dir), keyFile(dir))
	}
	return strings.Replace(conf, listen+" backlog=4096", listen+" backlog=4096 http2"+secure, 1)
}

// configureH2O returns a configuration with one thread and more than the default of 1,024 connections. h2o needs the name of
// a user if it is started by root.
func configureH2O(dir, addr string, withTLS bool) string {
	host, port, _ := net.SplitHostPort(addr)
	var b strings.Builder
	fmt.Fprintf(&b, "num-threads: 1\nmax-connections: 16384\nhttp2-idle-timeout: 600\npid-file: %s/h2o.pid\n", dir)
	if os.Geteuid() == 0 {
		b.WriteString("user: root\n")
	}
	fmt.Fprintf(&b, "listen:\n  host: %s\n  port: %s\n", host, port)
	if withTLS {
		fmt.Fprintf(&b, "  ssl:\n    neverbleed: OFF\n    certificate-file: %s\n    key-file: %s\n", certificateFile(dir), keyFile(dir))
	}
	b.WriteString("hosts:\n  default:\n    paths:\n")
	for _, a := range peer.Responses {
		fmt.Fprintf(&b, "      %s:\n        file.file: %s\n        file.etag: OFF\n        file.mime.setdefaulttype: %q\n",
			a.Path, filepath.Join(dir, a.Path), a.ContentType)
	}
	return b.String()
}

func certificateFile(dir string) string { return filepath.Join(dir, "certificate.pem") }

func keyFile(dir string) string { return filepath.Join(dir, "key.pem") }

// WriteCertificate writes a certificate and its key to files in dir, for servers that read them from files.
func WriteCertificate(dir string) error {
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return err
	}
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(certificateFile(dir), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}), 0o600),
		os.WriteFile(keyFile(dir), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
}
