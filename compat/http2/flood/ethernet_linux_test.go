package flood

import "syscall"

// ethernet has a socket take segments of no more than what an Ethernet carries. The loopback's are 64 KiB, of which a
// reader can live for minutes without a sign: servers wait for that.
func ethernet(_, _ string, c syscall.RawConn) (err error) {
	cerr := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1460)
	})
	if cerr != nil {
		return cerr
	}
	return err
}
