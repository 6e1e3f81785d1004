package sockpeer

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// serverTLS returns a TLS 1.3 configuration with a new certificate, nil if the transport has no TLS.
func serverTLS(transport string) (*tls.Config, error) {
	if transport != "tls" && transport != "wss" {
		return nil, nil
	}
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}, nil
}

func clientTLS(transport string) *tls.Config {
	if transport != "tls" && transport != "wss" {
		return nil
	}
	return &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}
}

// Serve starts a server of a peer that runs inside this program, on a transport that it supports, and returns its address.
func Serve(name, transport, at string) (addr string, err error) {
	cfg, err := serverTLS(transport)
	if err != nil {
		return "", err
	}
	if name == Recv || name == Callbacks {
		return serveOurs(name, transport, at, cfg)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return "", err
	}
	addr = l.Addr().String()
	if cfg != nil {
		l = tls.NewListener(l, cfg)
	}
	serve := map[string]func(net.Listener) error{Net: servePlain, Gorilla: serveGorilla, GWS: serveGWS}[name]
	go func() {
		if err := serve(l); err != nil {
			log.Fatal(err) // l is never closed
		}
	}()
	return addr, nil
}

func serveHTTP(l net.Listener, h http.HandlerFunc) error {
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	return s.Serve(l)
}

// Drive does a task with a client of a peer that runs inside this program, on a transport that it supports.
func Drive(name, transport, addr string, t Task) (*Account, error) {
	cfg, url := clientTLS(transport), transport+"://"+addr
	switch name {
	case Recv, Callbacks:
		return driveOurs(name, transport, addr, cfg, t)
	case Gorilla:
		c, err := dialGorilla(url, cfg)
		return driveLink(c, err, t)
	case GWS:
		return driveGWS(url, cfg, t)
	}
	c, err := dialPlain(addr, cfg)
	return driveLink(c, err, t)
}
