//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// spareDescriptors are for what is open besides the load's connections: the console, files, the poller.
const spareDescriptors = 16

// enoughDescriptors fails if this process may not open so many connections. The runtime has raised the soft limit to
// the hard one before main began.
func enoughDescriptors(conns int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil // then connecting will tell
	}
	if may := uint64(limit.Cur); uint64(conns)+spareDescriptors > may {
		return fmt.Errorf("-c %d is more than this process may open: its limit of descriptors is %d, of which %d are "+
			"for other things (raise it with ulimit -n)", conns, may, spareDescriptors)
	}
	return nil
}
