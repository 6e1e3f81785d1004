package server

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// certFiles is a certificate that is read anew when its files change. get may be called concurrently.
type certFiles struct {
	certFile, keyFile string
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]
	checked           atomic.Int64 // when the files were last looked at: Unix seconds
	reloading         atomic.Bool  // somebody reads the files; what follows is theirs
	stamp             [2]fileStamp // of the files when they were read last
	failed            bool         // that time they could not be used
}

// fileStamp is what changes when a file is replaced or written to.
type fileStamp struct {
	modified time.Time
	size     int64
}

// openCertFiles reads the files for the first time; this time an error is final.
func openCertFiles(certFile, keyFile string, log *slog.Logger) (*certFiles, error) {
	f := &certFiles{certFile: certFile, keyFile: keyFile, log: log}
	f.stamp = f.stamps()
	f.checked.Store(time.Now().Unix())
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	f.current.Store(&cert)
	return f, nil
}

// get returns the certificate. It looks at the files at most once a second.
func (f *certFiles) get() *tls.Certificate {
	now, last := time.Now().Unix(), f.checked.Load()
	if now != last && f.checked.CompareAndSwap(last, now) && f.reloading.CompareAndSwap(false, true) {
		f.reload()
		f.reloading.Store(false)
	}
	return f.current.Load()
}

// reload reads the files if they changed, or could not be used the last time: certificate and key are written one after
// the other, and what keeps a file from being opened changes neither its size nor its time. A failure is logged once
// for every change.
func (f *certFiles) reload() {
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
		f.log.Info("server: certificate read anew", "file", f.certFile)
	case changed:
		f.log.Error("server: the new certificate cannot be used, the old one stays", "file", f.certFile, "err", err)
	}
}

// stamps looks at both files. One that is missing has the zero stamp.
func (f *certFiles) stamps() (stamps [2]fileStamp) {
	for i, name := range [2]string{f.certFile, f.keyFile} {
		if info, err := os.Stat(name); err == nil {
			stamps[i] = fileStamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}
