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
	looked            atomic.Int64 // when the files were last looked at: Unix seconds
	stamp             [2]fileStamp // of what current was read from; for who advanced looked
	busy              atomic.Bool  // somebody reads the files
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
	f.looked.Store(time.Now().Unix())
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	f.current.Store(&cert)
	return f, nil
}

// get is tls.Config.GetCertificate. It looks at the files at most once a second.
func (f *certFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	now, last := time.Now().Unix(), f.looked.Load()
	if now != last && f.looked.CompareAndSwap(last, now) && f.busy.CompareAndSwap(false, true) {
		f.reload()
		f.busy.Store(false)
	}
	return f.current.Load(), nil
}

// reload reads the files if they changed. Certificate and key are written one after the other: a pair that does not
// match is tried again when either changes once more.
func (f *certFiles) reload() {
	stamp := f.stamps()
	if stamp == f.stamp {
		return
	}
	f.stamp = stamp
	cert, err := tls.LoadX509KeyPair(f.certFile, f.keyFile)
	if err != nil {
		f.log.Error("server: the new certificate cannot be used, the old one stays", "file", f.certFile, "err", err)
		return
	}
	f.current.Store(&cert)
	f.log.Info("server: certificate read anew", "file", f.certFile)
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
