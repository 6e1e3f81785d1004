package forward

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/sessions"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// options holds the parsed command line of forward.
type options struct {
	sessions.Options
	localPorts  []localPort       // the -L flags
	services    map[string]string // address of each -to service by its name
	clientCA    string
	maxConns    int           // limit of connections of local ports; 0 is none
	dialTimeout time.Duration // timeout for dialling a service
}

// localPort is an address to listen on, and the service at the other end that its connections go to.
type localPort struct{ addr, service string }

// parse parses the command line of forward.
func parse(args []string, con cli.Console) (opt options, err error) {
	set := flag.NewFlagSet("forward", flag.ContinueOnError)
	f := sessions.NewFlags()
	f.Window, f.MaxMessage = 1<<20, chunk
	f.Define(set)
	opt.services = map[string]string{}
	set.Func("L", "listen on `[HOST:]PORT=NAME` and connect to the service NAME at the other end; without HOST on 127.0.0.1. May be\n"+
		"given again", opt.addLocalPort)
	set.Func("to", "let the other end connect to `NAME=HOST:PORT`. May be given again", opt.addService)
	most, answer := cli.Count(1024), cli.Span(10*time.Second)
	set.Var(&most, "max-connections", "carry so `MANY` connections of -L at a time and let others wait; 0 is no limit")
	set.Var(&answer, "dial-timeout", "the longest `TIME` to connect to a service of -to")
	set.StringVar(&opt.clientCA, "client-ca", "", "with -listen: require client certificates that an authority in this `FILE` has signed (PEM); diallers send\n"+
		"theirs with -cert and -key")
	if err := cli.ParseFlags(set, args, con); err != nil {
		return opt, err
	}
	opt.maxConns, opt.dialTimeout = int(most), time.Duration(answer)
	if err := cmp.Or(f.Check("forward"), opt.check()); err != nil {
		return opt, cli.UsageError("forward: " + err.Error())
	}
	f.Fill(&opt.Options)
	return opt, nil
}

func (opt *options) addLocalPort(s string) error {
	addr, service, ok := strings.Cut(s, "=")
	if !strings.Contains(addr, ":") {
		addr = net.JoinHostPort("127.0.0.1", addr)
	}
	if !ok || !sessions.HostPort(addr) || !serviceName(service) {
		return errors.New("want [HOST:]PORT=NAME")
	}
	opt.localPorts = append(opt.localPorts, localPort{addr, service})
	return nil
}

func (opt *options) addService(s string) error {
	name, addr, ok := strings.Cut(s, "=")
	if !ok || !sessions.HostPort(addr) || !serviceName(name) {
		return errors.New("want NAME=HOST:PORT")
	}
	if opt.services[name] != "" {
		return fmt.Errorf("there are two services %q", name)
	}
	opt.services[name] = addr
	return nil
}

func serviceName(s string) bool { return s != "" && len(s) <= tcpmux.MaxName }

func (opt *options) check() error {
	if len(opt.localPorts) == 0 && len(opt.services) == 0 {
		return errors.New("it takes -L or -to; forward -h explains")
	}
	return nil
}

// setClientCerts sets the certificate that a dialler presents, or the CA with which a listener verifies them.
func (opt *options) setClientCerts() error {
	cfg := opt.Cfg.TLSConfig
	switch {
	case cfg == nil && opt.clientCA != "":
		return cli.UsageError("forward: -client-ca is for tls://")
	case cfg == nil:
		return nil
	case !opt.Listen && opt.Certs.Cert != "":
		cert, err := tls.LoadX509KeyPair(opt.Certs.Cert, opt.Certs.Key)
		if err != nil {
			return err
		}
		cfg.Certificates = []tls.Certificate{cert}
	case opt.Listen && opt.clientCA != "":
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
