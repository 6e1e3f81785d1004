// Package farlink is a network between two namespaces of this machine, whose packets take a while: each end has a TUN device,
// and this process carries what comes out of the one into the other. It takes root, and the program ip.
package farlink

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The addresses of the ends.
const (
	NearAddr = "10.213.77.1"
	FarAddr  = "10.213.77.2"
)

// The namespaces that they are in; another process has others.
var (
	NearSpace = fmt.Sprint("shockwave-near-", os.Getpid())
	FarSpace  = fmt.Sprint("shockwave-far-", os.Getpid())
)

const (
	device  = "tun0"
	mtu     = 9000
	waiting = 1 << 14 // packets on their way, in each direction; more are lost
)

// Link is the network. Close takes it down.
type Link struct{ ends [2]*os.File }

// Open makes the two namespaces and a network between them on which each packet takes delay, one way.
func Open(delay time.Duration) (l *Link, err error) {
	l = new(Link)
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	for i, end := range []struct{ space, addr string }{{NearSpace, NearAddr}, {FarSpace, FarAddr}} {
		if err = ip("netns add " + end.space); err != nil {
			return l, err
		}
		if l.ends[i], err = within(end.space, openTUN); err != nil {
			return l, err
		}
		for _, do := range []string{
			fmt.Sprintf("addr add %s/24 dev %s", end.addr, device), fmt.Sprintf("link set %s mtu %d txqueuelen 10000 up", device, mtu),
		} {
			if err = ip("-n " + end.space + " " + do); err != nil {
				return l, err
			}
		}
	}
	go carry(l.ends[0], l.ends[1], delay)
	go carry(l.ends[1], l.ends[0], delay)
	return l, nil
}

// Close takes the network down.
func (l *Link) Close() {
	for _, f := range l.ends {
		if f != nil {
			f.Close()
		}
	}
	_ = ip("netns del " + NearSpace)
	_ = ip("netns del " + FarSpace)
}

func ip(args string) error {
	out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w %s", args, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// within runs open on a thread that is in a namespace, and ends with it.
func within(space string, open func() (*os.File, error)) (f *os.File, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocks it: the thread is not used again
		var at *os.File
		if at, err = os.Open("/var/run/netns/" + space); err != nil {
			return
		}
		defer at.Close()
		if err = unix.Setns(int(at.Fd()), unix.CLONE_NEWNET); err != nil {
			return
		}
		f, err = open()
	}()
	<-done
	return f, err
}

// openTUN makes a TUN device: what is read are packets.
func openTUN() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(device)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("a TUN device: %w", err)
	}
	return os.NewFile(uintptr(fd), device), nil
}

// packet is one that is on its way, and when it arrives.
type packet struct {
	b  []byte
	at time.Time
}

// carry carries packets until an end is closed. One that finds too many before it is lost, as on any network.
func carry(from, to *os.File, delay time.Duration) {
	under, idle := make(chan packet, waiting), make(chan []byte, waiting)
	go func() {
		for p := range under {
			time.Sleep(time.Until(p.at))
			_, _ = to.Write(p.b) // what the device does not take is lost
			select {
			case idle <- p.b[:cap(p.b)]:
			default:
			}
		}
	}()
	defer close(under)
	for {
		var b []byte
		select {
		case b = <-idle:
		default:
			b = make([]byte, mtu)
		}
		n, err := from.Read(b)
		if err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return
		}
		select {
		case under <- packet{b[:n], time.Now().Add(delay)}:
		default:
		}
	}
}
