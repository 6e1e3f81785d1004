package server

import (
	"crypto/tls"

	"github.com/shockwave-go/shockwave/server/internal/servercert"
)

// DevelopmentCertificate makes a self-signed certificate for localhost, 127.0.0.1 and ::1 that is valid for thirty
// days. It is for experiments: no client trusts it by default, and its key is lost when the process ends.
func DevelopmentCertificate() (tls.Certificate, error) {
	return servercert.Development()
}
