package certs

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/shockwave-go/shockwave/server"
)

// SelfSigned returns a TLS configuration with a new self-signed certificate, or nil if wanted is false.
func SelfSigned(wanted bool) (*tls.Config, error) {
	if !wanted {
		return nil, nil
	}
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, nil
}

// Fingerprint returns the SHA-256 of a DER certificate in the format of browsers and openssl: pairs of hex digits
// separated by colons.
func Fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	pairs := make([]string, len(sum))
	for i, b := range sum {
		pairs[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(pairs, ":")
}
