package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// sessionHub opens the sessions of mux and forward, by listening or by dialling.
type sessionHub struct {
	opt      *sessionOptions
	con      console
	listener *tcpmux.Listener
}

func newSessionHub(opt *sessionOptions, con console) (*sessionHub, error) {
	if err := opt.setTLS(); err != nil {
		return nil, err
	}
	h := &sessionHub{opt: opt, con: con}
	opt.cfg.Logger = newLogger(con)
	opt.cfg.OnRefused = func(remote net.Addr, err error) { fmt.Fprintf(con.err, "shockwave: refused %v: %v\n", remote, err) }
	return h, nil
}

// listen starts listening. It returns the URL with the actual port and, with TLS, the SHA-256 of the certificate.
func (h *sessionHub) listen() (url, sum string, err error) {
	if h.listener, err = tcpmux.Listen(h.opt.url, h.opt.cfg); err != nil {
		return "", "", err
	}
	scheme, _, _ := strings.Cut(h.opt.url, "://")
	if h.opt.cfg.TLSConfig != nil {
		sum = certSum(h.opt.cfg.TLSConfig)
	}
	return scheme + "://" + h.listener.Addr().String(), sum, nil
}

// dial opens a session. It retries failed attempts until the -handshake time is over or the error is permanent.
func (h *sessionHub) dial(ctx context.Context) (*tcpmux.Session, error) {
	if t := h.opt.cfg.HandshakeTimeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t)
		defer cancel()
	}
	said := ""
	for wait := h.opt.cfg.RedialFirst; ; wait = min(2*wait, h.opt.cfg.RedialLongest) {
		s, err := tcpmux.Dial(ctx, h.opt.url, h.opt.cfg)
		if err == nil || h.opt.once || ctx.Err() != nil || permanent(err) {
			return s, err
		}
		if text := err.Error(); text != said {
			said = text
			fmt.Fprintf(h.con.err, "shockwave: %v; trying again\n", err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// permanent reports whether dialling again would fail with the same error.
func permanent(err error) bool {
	var refused *tcpmux.RefusedError
	var broke *tcpmux.ProtocolError
	var cert *tls.CertificateVerificationError
	var host x509.HostnameError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var name *net.DNSError
	return errors.As(err, &refused) || errors.As(err, &broke) || errors.As(err, &cert) || errors.As(err, &host) ||
		errors.As(err, &alert) || errors.As(err, &record) || errors.As(err, &name) && name.IsNotFound
}
