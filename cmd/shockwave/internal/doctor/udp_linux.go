package doctor

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Options of linux/udp.h, which package syscall does not have.
const udpSegment, udpGRO = 103, 104

// tryOffload sends two segments in one write to a socket on loopback, and reads. With receive the first read must bring both
// segments, else the first one.
func tryOffload(receive bool) error {
	const segment = 512
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		return err
	}
	defer c.Close()
	want := segment
	if receive {
		want = 2 * segment
		if err := setUDPOption(c, udpGRO, 1); err != nil {
			return err
		}
	}
	if err := setUDPOption(c, udpSegment, segment); err != nil {
		return err
	}
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	buf := make([]byte, 2*segment)
	if _, err := c.WriteTo(buf, c.LocalAddr()); err != nil {
		return err
	}
	n, err := c.Read(buf)
	if err == nil && n != want {
		err = fmt.Errorf("the first read has %d bytes, want %d", n, want)
	}
	return err
}

// setUDPOption returns errors.ErrUnsupported if the kernel does not have the option.
func setUDPOption(c *net.UDPConn, option, value int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_UDP, option, value)
	}); err != nil {
		return err
	}
	if errors.Is(failed, syscall.ENOPROTOOPT) {
		return errors.ErrUnsupported
	}
	if failed != nil {
		return fmt.Errorf("setsockopt: %w", failed)
	}
	return nil
}
