package sessions

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// Hub opens the sessions of mux and forward, by listening or by dialling.
type Hub struct {
	opt      *Options
	con      cli.Console
	Listener *tcpmux.Listener
}

// NewHub returns a hub for opt, which it completes.
func NewHub(opt *Options, con cli.Console) (*Hub, error) {
	if err := opt.setTLS(); err != nil {
		return nil, err
	}
	h := &Hub{opt: opt, con: con}
	opt.Cfg.Logger = cli.NewLogger(con)
	opt.Cfg.OnRefused = func(remote net.Addr, err error) { fmt.Fprintf(con.Err, "shockwave: refused %v: %v\n", remote, err) }
	return h, nil
}

// Listen starts listening. It returns the URL with the actual port and, with TLS, the SHA-256 of the certificate.
func (h *Hub) Listen() (url, sum string, err error) {
	if h.Listener, err = tcpmux.Listen(h.opt.URL, h.opt.Cfg); err != nil {
		return "", "", err
	}
	scheme, _, _ := strings.Cut(h.opt.URL, "://")
	if h.opt.Cfg.TLSConfig != nil {
		sum = certs.Sum(h.opt.Cfg.TLSConfig)
	}
	return scheme + "://" + h.Listener.Addr().String(), sum, nil
}

// Dial opens a session. It retries failed attempts until the -handshake time is over or the error is permanent.
func (h *Hub) Dial(ctx context.Context) (*tcpmux.Session, error) {
	if t := h.opt.Cfg.HandshakeTimeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t)
		defer cancel()
	}
	said := ""
	for wait := h.opt.Cfg.RedialFirst; ; wait = min(2*wait, h.opt.Cfg.RedialLongest) {
		s, err := tcpmux.Dial(ctx, h.opt.URL, h.opt.Cfg)
		if err == nil || h.opt.Once || ctx.Err() != nil || Permanent(err) {
			return s, err
		}
		if text := err.Error(); text != said {
			said = text
			fmt.Fprintf(h.con.Err, "shockwave: %v; trying again\n", err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Permanent reports whether dialling again would fail with the same error.
func Permanent(err error) bool {
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
