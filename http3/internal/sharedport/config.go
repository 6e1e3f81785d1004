package sharedport

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// Config has the settings of http3.SharedPort.
type Config struct {
	Key     []byte
	Process int
	Dir     string
}

// minKey is the least size of Config.Key.
const minKey = 32

// check returns an error if the settings are invalid.
func (c *Config) check() error {
	switch {
	case len(c.Key) < minKey:
		return fmt.Errorf("http3: SharedPort.Key has %d bytes: at least %d are needed", len(c.Key), minKey)
	case c.Process < 0 || c.Process > maxProcess:
		return fmt.Errorf("http3: SharedPort.Process is %d: it must be from 0 to %d", c.Process, maxProcess)
	case c.Dir == "":
		return errors.New("http3: SharedPort.Dir is not set")
	}
	info, err := os.Stat(c.Dir)
	switch {
	case err != nil:
		return fmt.Errorf("http3: SharedPort.Dir: %w", err)
	case !info.IsDir():
		return fmt.Errorf("http3: SharedPort.Dir: %s is no directory", c.Dir)
	case info.Mode().Perm()&othersWrite != 0:
		return fmt.Errorf("http3: SharedPort.Dir: %s is writable by everybody (%v)", c.Dir, info.Mode())
	}
	return nil
}

// othersWrite is the permission bit that lets users other than the owner and the group write.
const othersWrite fs.FileMode = 0o002

// The files of a process.
const (
	socketSuffix  = ".sock"
	lockSuffix    = ".lock"
	maxSocketPath = 107 // of sun_path, see unix(7)
)

// dirFor returns Dir as an absolute path, if the names of sockets in it are not too long.
func (c *Config) dirFor(addr net.Addr) (string, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return "", fmt.Errorf("http3: SharedPort.Dir: %w", err)
	}
	if n := len(pathOf(dir, addr, maxProcess, socketSuffix)); n > maxSocketPath {
		return "", fmt.Errorf("http3: SharedPort.Dir: the name %s is %d bytes too long for a socket", dir, n-maxSocketPath)
	}
	return dir, nil
}

// pathOf returns the path of a file of a process that serves an address.
func pathOf(dir string, addr net.Addr, process uint16, suffix string) string {
	return filepath.Join(dir, addr.String()+"."+strconv.Itoa(int(process))+suffix)
}
