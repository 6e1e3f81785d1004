package wire

import (
	"fmt"
	"net/netip"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// namespace is a network namespace with one interface. link gives the packets that leave by it and takes those that
// arrive.
type namespace struct {
	self *os.File
	link *os.File
}

// mtu is Ethernet's.
const mtu = 1500

func newNamespace(addr netip.Addr) (*namespace, error) {
	n := new(namespace)
	err := onThread(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("unshare: %w", err)
		}
		if n.self, err = os.Open("/proc/thread-self/ns/net"); err != nil {
			return err
		}
		if n.link, err = openLink(); err == nil {
			err = raise(addr)
		}
		return err
	})
	if err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

func (n *namespace) close() {
	if n.link != nil {
		n.link.Close()
	}
	if n.self != nil {
		n.self.Close()
	}
}

// enter runs f within the namespace.
func (n *namespace) enter(f func()) error {
	return onThread(func() error {
		if err := unix.Setns(int(n.self.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("setns: %w", err)
		}
		f()
		return nil
	})
}

// onThread runs f on a thread of its own, which ends with it: nothing else ever runs in the namespace that f enters.
func onThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	return <-done
}

const linkName = "wire0"

// openLink makes the interface.
func openLink() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	r, err := unix.NewIfreq(linkName)
	if err == nil {
		r.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, r)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("TUNSETIFF: %w", err)
	}
	return os.NewFile(uintptr(fd), "/dev/net/tun"), nil
}

// raise gives the interface an address and brings it up.
func raise(addr netip.Addr) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	for _, step := range []struct {
		request uint
		set     func(*unix.Ifreq) error
	}{
		{unix.SIOCSIFADDR, func(r *unix.Ifreq) error { return r.SetInet4Addr(addr.AsSlice()) }},
		{unix.SIOCSIFNETMASK, func(r *unix.Ifreq) error { return r.SetInet4Addr([]byte{255, 255, 255, 0}) }},
		{unix.SIOCSIFMTU, func(r *unix.Ifreq) error { r.SetUint32(mtu); return nil }},
		{unix.SIOCSIFFLAGS, func(r *unix.Ifreq) error { r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING); return nil }},
	} {
		r, err := unix.NewIfreq(linkName)
		if err == nil {
			err = step.set(r)
		}
		if err == nil {
			err = unix.IoctlIfreq(s, step.request, r)
		}
		if err != nil {
			return fmt.Errorf("request %#x to %s: %w", step.request, linkName, err)
		}
	}
	return nil
}
