// Tls serves HTTPS with the certificate and key given by -cert and -key. Without these flags it makes a self-signed
// certificate for development:
//
//	curl -k https://127.0.0.1:8443/
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8443", "listen here")
	cert := flag.String("cert", "", "file with the certificate chain, PEM")
	key := flag.String("key", "", "file with its private key, PEM")
	flag.Parse()

	srv := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s with %s\n", tls.VersionName(r.TLS.Version), tls.CipherSuiteName(r.TLS.CipherSuite))
	})}
	if *cert == "" {
		made, err := server.DevelopmentCertificate()
		if err != nil {
			log.Fatal(err)
		}
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{made}}
	}

	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on https://%s/\n", l.Addr())
	log.Fatal(srv.ServeTLS(l, *cert, *key))
}
