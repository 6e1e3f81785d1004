package http3

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// SharedPort lets several processes of one machine serve the same port of UDP, each with a socket of its own (SO_REUSEPORT), on Linux:
//
//	key, err := os.ReadFile("/etc/example/http3.key") // 32 random bytes, the same for all processes
//	if err != nil {
//		log.Fatal(err)
//	}
//	shared := &http3.SharedPort{Key: key, Process: number, Dir: "/run/example"}
//	log.Fatal(http3.NewServer(srv, http3.Config{SharedPort: shared}).ListenAndServe(":443", "cert.pem", "key.pem"))
//
// The kernel chooses a socket by the client's address and port. When these change, because the client goes to another network or a
// router has forgotten it, or when a process comes or goes, packets of a connection arrive at a process that does not have it. The
// identifiers of connections therefore name the process, and packets are passed on to it through a socket in Dir. Of connections whose
// process is gone the client is told at once (stateless reset, RFC 9000 §10.3), by whichever process gets its packets. The proofs of
// addresses (RFC 9000 §8.1) and the session tickets of TLS that one process gives are good at all of them, and after restarts.
type SharedPort struct {
	// Key is the secret of all processes, at least 32 bytes that nobody can guess. All other keys are derived from it. While processes
	// with two different keys run, packets that arrive at the wrong one are lost.
	Key []byte

	// Process is the number of this process, from 0 to 65535. No two that run at the same time may have the same one.
	Process int

	// Dir is a directory in which each process keeps a socket and a file for each address that it serves. It must be there, be the
	// same for all processes, and only they should be able to write to it.
	Dir string
}

// minSharedKey is the least size of SharedPort.Key.
const minSharedKey = 32

// check returns an error if the settings cannot be right.
func (s *SharedPort) check() error {
	switch {
	case len(s.Key) < minSharedKey:
		return fmt.Errorf("http3: SharedPort.Key has %d bytes, and needs at least %d", len(s.Key), minSharedKey)
	case s.Process < 0 || s.Process > maxProcess:
		return fmt.Errorf("http3: SharedPort.Process is %d, and must be from 0 to %d", s.Process, maxProcess)
	case s.Dir == "":
		return errors.New("http3: SharedPort.Dir is not set")
	}
	info, err := os.Stat(s.Dir)
	switch {
	case err != nil:
		return fmt.Errorf("http3: SharedPort.Dir: %w", err)
	case !info.IsDir():
		return fmt.Errorf("http3: SharedPort.Dir: %s is no directory", s.Dir)
	case info.Mode().Perm()&othersWrite != 0:
		return fmt.Errorf("http3: SharedPort.Dir: everybody may write to %s (%v)", s.Dir, info.Mode())
	}
	return nil
}

// othersWrite are the rights of those who are neither the owner of a file nor of its group.
const othersWrite fs.FileMode = 0o002

// The files of a process.
const (
	socketSuffix  = ".sock"
	lockSuffix    = ".lock"
	maxSocketPath = 107 // of sun_path, see unix(7)
)

// dirFor returns Dir as an absolute name, if sockets in it can have names.
func (s *SharedPort) dirFor(addr net.Addr) (string, error) {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return "", fmt.Errorf("http3: SharedPort.Dir: %w", err)
	}
	if n := len(sharedPath(dir, addr, maxProcess, socketSuffix)); n > maxSocketPath {
		return "", fmt.Errorf("http3: SharedPort.Dir: the name %s is %d bytes too long for sockets", dir, n-maxSocketPath)
	}
	return dir, nil
}

// sharedPath returns the name of a file of a process that serves an address.
func sharedPath(dir string, addr net.Addr, process uint16, suffix string) string {
	return filepath.Join(dir, addr.String()+"."+strconv.Itoa(int(process))+suffix)
}
