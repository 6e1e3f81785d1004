// Package servercert loads the certificates of servers from files, and knows which ciphers HTTP/2 must not be used with.
package servercert

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// Files is a certificate that is loaded again when its files change. Get is safe for concurrent use.
type Files struct {
	certFile, keyFile string
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]
	checked           atomic.Int64 // when the files were last checked: Unix seconds
	reloading         atomic.Bool  // a goroutine is in reload; it owns the fields below
	stamp             [2]fileStamp // of the files when they were last read
	failed            bool         // the last attempt to load them failed
}

// fileStamp changes when a file is replaced or written to.
type fileStamp struct {
	modified time.Time
	size     int64
}

// OpenFiles reads the files for the first time. Unlike in reload, an error is returned.
func OpenFiles(certFile, keyFile string, log *slog.Logger) (*Files, error) {
	f := &Files{certFile: certFile, keyFile: keyFile, log: log}
	f.stamp = f.stamps()
	f.checked.Store(time.Now().Unix())
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	f.current.Store(&cert)
	return f, nil
}

// Get returns the certificate. It checks the files at most once a second.
func (f *Files) Get() *tls.Certificate {
	now, last := time.Now().Unix(), f.checked.Load()
	if now != last && f.checked.CompareAndSwap(last, now) && f.reloading.CompareAndSwap(false, true) {
		f.reload()
		f.reloading.Store(false)
	}
	return f.current.Load()
}

// reload loads the files if they have changed, or if the last attempt failed. It tries again because certificate and
// key are written one after the other, and because a file that could not be opened may become readable without a change
// of size or time. A failure is logged once for each change.
func (f *Files) reload() {
	stamp := f.stamps()
	changed := stamp != f.stamp
	if !changed && !f.failed {
		return
	}
	f.stamp = stamp
	cert, err := tls.LoadX509KeyPair(f.certFile, f.keyFile)
	f.failed = err != nil
	switch {
	case !f.failed:
		f.current.Store(&cert)
		f.log.Info("server: certificate reloaded", "file", f.certFile)
	case changed:
		f.log.Error("server: the new certificate cannot be used, the old one is kept", "file", f.certFile, "err", err)
	}
}

// stamps returns the stamps of both files. The stamp of a missing file is the zero value.
func (f *Files) stamps() (stamps [2]fileStamp) {
	for i, name := range [2]string{f.certFile, f.keyFile} {
		if info, err := os.Stat(name); err == nil {
			stamps[i] = fileStamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}

// getCertificate is the type of tls.Config.GetCertificate.
type getCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// Getter returns a function for tls.Config.GetCertificate that asks own first, if own is not nil and the client names a server. crypto/tls does
// the same when a Config has certificates besides GetCertificate.
func (f *Files) Getter(own getCertificate) getCertificate {
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if own != nil && hello.ServerName != "" {
			if cert, err := own(hello); cert != nil || err != nil {
				return cert, err
			}
		}
		return f.Get(), nil
	}
}
