package main

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

// certFlags holds the certificate flags of commands that listen as well as dial.
type certFlags struct {
	cert, key, ca string
	insecure      bool
}

func (f *certFlags) define(set *flag.FlagSet) {
	set.StringVar(&f.cert, "cert", "", "the `FILE` with the certificate of bound addresses (PEM); without it one is made on the spot")
	set.StringVar(&f.key, "key", "", "the `FILE` with its key")
	set.StringVar(&f.ca, "ca", "", "the `FILE` with the certificates that are trusted when dialling (PEM), instead of the system's")
	set.BoolVar(&f.insecure, "insecure", false, "accept any certificate when dialling")
}

func (f *certFlags) check() error {
	if (f.cert == "") != (f.key == "") {
		return errors.New("-cert and -key belong together")
	}
	return nil
}

// listening returns the TLS configuration for addresses that are listened on.
func (f *certFlags) listening() (*tls.Config, error) {
	if f.cert == "" {
		return selfSignedTLS(true)
	}
	cert, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, nil
}

// dialling returns the TLS configuration for addresses that are dialled.
func (f *certFlags) dialling() (*tls.Config, error) {
	cfg := &tls.Config{InsecureSkipVerify: f.insecure}
	if f.ca == "" {
		return cfg, nil
	}
	pem, err := os.ReadFile(f.ca)
	if err != nil {
		return nil, err
	}
	cfg.RootCAs = x509.NewCertPool()
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: there is no certificate in it", f.ca)
	}
	return cfg, nil
}

// certSum returns the SHA-256 of cfg's certificate in hex.
func certSum(cfg *tls.Config) string {
	sum := sha256.Sum256(cfg.Certificates[0].Certificate[0])
	return hex.EncodeToString(sum[:])
}
