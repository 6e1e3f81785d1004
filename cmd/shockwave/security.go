package main

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/shockwave-go/shockwave/server"
)

// newSecurity returns a TLS configuration with a certificate made on the spot, nil if none is wanted.
func newSecurity(wanted bool) (*tls.Config, error) {
	if !wanted {
		return nil, nil
	}
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, nil
}

// fingerprint is the SHA-256 of a certificate as browsers and openssl print it: pairs of hex digits, with colons.
func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	pairs := make([]string, len(sum))
	for i, b := range sum {
		pairs[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(pairs, ":")
}
