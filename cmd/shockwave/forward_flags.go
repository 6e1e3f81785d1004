package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// forwardOptions holds the parsed command line of forward.
type forwardOptions struct {
	sessionOptions
	localPorts  []localPort       // the -L flags
	services    map[string]string // address of each -to service by its name
	clientCA    string
	maxConns    int           // limit of connections of local ports; 0 is none
	dialTimeout time.Duration // timeout for dialling a service
}

// localPort is an address to listen on, and the service at the other end that its connections go to.
type localPort struct{ addr, service string }

// parseForward parses the command line of forward.
func parseForward(args []string, con console) (opt forwardOptions, err error) {
	set := flag.NewFlagSet("forward", flag.ContinueOnError)
	f := newSessionFlags()
	f.window, f.maxMessage = 1<<20, forwardChunk
	f.define(set)
	opt.services = map[string]string{}
	set.Func("L", "listen on `[HOST:]PORT=NAME` and connect to the service NAME at the other end; without HOST on 127.0.0.1. May be\n"+
		"given again", opt.addLocalPort)
	set.Func("to", "let the other end connect to `NAME=HOST:PORT`. May be given again", opt.addService)
	most, answer := count(1024), span(10*time.Second)
	set.Var(&most, "max-connections", "carry so `MANY` connections of -L at a time and have others wait; 0 is no bound")
	set.Var(&answer, "dial-timeout", "what a service of -to may take to accept: a `TIME`")
	set.StringVar(&opt.clientCA, "client-ca", "", "who dials -listen must have a certificate that one in this `FILE` has signed (PEM); diallers show\n"+
		"theirs with -cert and -key")
	if err := parseFlags(set, args, con); err != nil {
		return opt, err
	}
	opt.maxConns, opt.dialTimeout = int(most), time.Duration(answer)
	if err := cmp.Or(f.check("forward"), opt.check()); err != nil {
		return opt, usageError{"forward: " + err.Error()}
	}
	f.fill(&opt.sessionOptions)
	return opt, nil
}

func (opt *forwardOptions) addLocalPort(s string) error {
	addr, service, ok := strings.Cut(s, "=")
	if !strings.Contains(addr, ":") {
		addr = net.JoinHostPort("127.0.0.1", addr)
	}
	if !ok || !hostPort(addr) || !serviceName(service) {
		return errors.New("want [HOST:]PORT=NAME")
	}
	opt.localPorts = append(opt.localPorts, localPort{addr, service})
	return nil
}

func (opt *forwardOptions) addService(s string) error {
	name, addr, ok := strings.Cut(s, "=")
	if !ok || !hostPort(addr) || !serviceName(name) {
		return errors.New("want NAME=HOST:PORT")
	}
	if opt.services[name] != "" {
		return fmt.Errorf("there are two services %q", name)
	}
	opt.services[name] = addr
	return nil
}

// hostPort reports whether addr is a host and a numeric port.
func hostPort(addr string) bool {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

func serviceName(s string) bool { return s != "" && len(s) <= tcpmux.MaxName }

func (opt *forwardOptions) check() error {
	if len(opt.localPorts) == 0 && len(opt.services) == 0 {
		return errors.New("it takes -L or -to; forward -h explains")
	}
	return nil
}

// setClientCerts sets the certificate that a dialler presents, or the CA with which a listener verifies them.
func (opt *forwardOptions) setClientCerts() error {
	cfg := opt.cfg.TLSConfig
	switch {
	case cfg == nil && opt.clientCA != "":
		return usageError{"forward: -client-ca is for tls://"}
	case cfg == nil:
		return nil
	case !opt.listen && opt.certs.cert != "":
		cert, err := tls.LoadX509KeyPair(opt.certs.cert, opt.certs.key)
		if err != nil {
			return err
		}
		cfg.Certificates = []tls.Certificate{cert}
	case opt.listen && opt.clientCA != "":
		pem, err := os.ReadFile(opt.clientCA)
		if err != nil {
			return err
		}
		cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !cfg.ClientCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("%s: there is no certificate in it", opt.clientCA)
		}
	}
	return nil
}
