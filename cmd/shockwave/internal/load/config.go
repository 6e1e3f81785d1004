package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"time"
)

// withDefaults returns cfg with every zero replaced by its default, or says what is wrong with it.
func (cfg Config) withDefaults() (Config, error) {
	if err := cfg.check(); err != nil {
		return cfg, err
	}
	setDefault(&cfg.Conns, 64)
	setDefault(&cfg.Pipeline, 1)
	setDefault(&cfg.Duration, 10*time.Second)
	setDefault(&cfg.Timeout, 10*time.Second)
	setDefault(&cfg.Method, "GET")
	if len(cfg.Body) > 0 && cfg.Method == "GET" {
		cfg.Method = "POST"
	}
	cfg.TLS = cfg.clientTLS()
	return cfg, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (cfg *Config) check() error {
	switch {
	case cfg.URL == nil || cfg.URL.Hostname() == "":
		return errors.New("load: the URL has no host")
	case cfg.URL.Scheme != "http" && cfg.URL.Scheme != "https":
		return fmt.Errorf("load: the URL's scheme is %q, not http or https", cfg.URL.Scheme)
	case cfg.Method == "CONNECT":
		return errors.New("load: CONNECT asks for a tunnel, not for an answer")
	case cfg.Conns < 0 || cfg.Pipeline < 0:
		return errors.New("load: fewer than no connections or requests")
	case cfg.Rate < 0 || math.IsNaN(cfg.Rate) || cfg.Rate > 1e9:
		return fmt.Errorf("load: no rate: %v requests per second", cfg.Rate)
	case cfg.Warmup < 0 || cfg.Duration < 0 || cfg.Timeout < 0:
		return errors.New("load: a negative time")
	}
	return nil
}

// address is what to dial.
func (cfg *Config) address() string {
	port := cfg.URL.Port()
	if port == "" {
		port = cfg.URL.Scheme
	}
	return net.JoinHostPort(cfg.URL.Hostname(), port)
}

// clientTLS returns the TLS of an https run, nil for http. Without a session cache in cfg.TLS every connection makes a
// full handshake, as the first one of a client does.
func (cfg *Config) clientTLS() *tls.Config {
	if cfg.URL.Scheme != "https" {
		return nil
	}
	t := &tls.Config{}
	if cfg.TLS != nil {
		t = cfg.TLS.Clone()
	}
	if t.ServerName == "" {
		t.ServerName = cfg.URL.Hostname()
	}
	t.NextProtos = []string{"http/1.1"}
	return t
}
