package certs

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
)

// Flags holds the certificate flags of commands that listen as well as dial.
type Flags struct {
	Cert, Key, CA string
	insecure      bool
}

// Define registers the flags.
func (f *Flags) Define(set *flag.FlagSet) {
	set.StringVar(&f.Cert, "cert", "", "the `FILE` with the certificate for listening (PEM); without it a self-signed one is made")
	set.StringVar(&f.Key, "key", "", "the `FILE` with its key")
	set.StringVar(&f.CA, "ca", "", "the `FILE` with the certificates that are trusted when dialling (PEM), instead of the system's")
	set.BoolVar(&f.insecure, "insecure", false, "accept any certificate when dialling")
}

// Check reports the first error in the flags.
func (f *Flags) Check() error {
	if (f.Cert == "") != (f.Key == "") {
		return errors.New("-cert and -key belong together")
	}
	return nil
}

// Listening returns the TLS configuration for addresses that are listened on.
func (f *Flags) Listening() (*tls.Config, error) {
	if f.Cert == "" {
		return SelfSigned(true)
	}
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, nil
}

// Dialling returns the TLS configuration for addresses that are dialled.
func (f *Flags) Dialling() (*tls.Config, error) {
	cfg := &tls.Config{InsecureSkipVerify: f.insecure}
	if f.CA == "" {
		return cfg, nil
	}
	pem, err := os.ReadFile(f.CA)
	if err != nil {
		return nil, err
	}
	cfg.RootCAs = x509.NewCertPool()
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: there is no certificate in it", f.CA)
	}
	return cfg, nil
}

// Sum returns the SHA-256 of cfg's certificate in hex.
func Sum(cfg *tls.Config) string {
	sum := sha256.Sum256(cfg.Certificates[0].Certificate[0])
	return hex.EncodeToString(sum[:])
}
