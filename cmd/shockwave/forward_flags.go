package main

import (
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

// forwardOptions is forward's command line.
type forwardOptions struct {
	sessionOptions
	doors    []door            // what is listened on for programs
	services map[string]string // what the peer may connect to: addresses by their names
	clientCA string
	most     int           // connections of doors at a time
	answer   time.Duration // what a service may take to accept
}

// door is an address that is listened on, and the service at the other end that it leads to.
type door struct{ addr, service string }

// parseForward parses forward's command line.
func parseForward(args []string, con console) (opt forwardOptions, err error) {
	set := flag.NewFlagSet("forward", flag.ContinueOnError)
	f := newSessionFlags()
	f.window, f.maxMessage = 1<<20, forwardChunk
	f.define(set)
	opt.services = map[string]string{}
	set.Func("L", "listen on `[HOST:]PORT=NAME` and connect to the service NAME at the other end; without HOST on 127.0.0.1. May be\n"+
		"given again", opt.addDoor)
	set.Func("to", "let the other end connect to `NAME=HOST:PORT`. May be given again", opt.addService)
	most, answer := count(1024), span(10*time.Second)
	set.Var(&most, "max-connections", "carry so `MANY` connections of -L at a time and have others wait; 0 is no bound")
	set.Var(&answer, "dial-timeout", "what a service of -to may take to accept: a `TIME`")
	set.StringVar(&opt.clientCA, "client-ca", "", "who dials -listen must have a certificate that one in this `FILE` has signed (PEM); diallers show\n"+
		"theirs with -cert and -key")
	if err := parseFlags(set, args, con); err != nil {
		return opt, err
	}
	opt.most, opt.answer = int(most), time.Duration(answer)
	if err := errors.Join(f.check("forward"), opt.check()); err != nil {
		return opt, usageError{"forward: " + err.Error()}
	}
	f.fill(&opt.sessionOptions)
	return opt, nil
}

func (opt *forwardOptions) addDoor(s string) error {
	addr, service, ok := strings.Cut(s, "=")
	if !strings.Contains(addr, ":") {
		addr = net.JoinHostPort("127.0.0.1", addr)
	}
	if !ok || !hostPort(addr) || !serviceName(service) {
		return errors.New("want [HOST:]PORT=NAME")
	}
	opt.doors = append(opt.doors, door{addr, service})
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

// hostPort reports whether addr is an address with a port.
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
	if len(opt.doors) == 0 && len(opt.services) == 0 {
		return errors.New("it takes -L or -to; forward -h explains")
	}
	return nil
}

// certify has diallers show certificates, and listeners look at them.
func (opt *forwardOptions) certify() error {
	cfg := opt.cfg.TLS
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
