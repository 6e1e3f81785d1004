//go:build unix

package bench

import (
	"fmt"
	"syscall"
)

// spareDescriptors is the number of descriptors for other things than connections: the console, files, the poller.
const spareDescriptors = 16

// enoughDescriptors returns an error if the process may not open that many connections. The Go runtime has already
// raised the soft limit to the hard limit.
func enoughDescriptors(conns int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil // unknown: connecting will fail if there are too few
	}
	if may := uint64(limit.Cur); uint64(conns)+spareDescriptors > may {
		return fmt.Errorf("-c %d is more than this process may open: its limit of descriptors is %d, of which %d are "+
			"for other things (raise it with ulimit -n)", conns, may, spareDescriptors)
	}
	return nil
}
