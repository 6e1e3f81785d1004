// Package farlink simulates a slow, lossy network between two network namespaces of this machine. Each namespace has a TUN
// device. This process copies packets between the devices, with a delay, and drops some of them. It needs root, the program ip
// and /dev/net/tun, but no kernel module such as netem.
package farlink

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The addresses of the two ends.
const (
	NearAddr = "10.213.77.1"
	FarAddr  = "10.213.77.2"
)

// The names of the two namespaces. They contain the process id, so that several processes can have links at the same time.
var (
	NearSpace = fmt.Sprint("shockwave-near-", os.Getpid())
	FarSpace  = fmt.Sprint("shockwave-far-", os.Getpid())
)

// Device is the name of the TUN device in each namespace.
const Device = "tun0"

const queueLen = 1 << 14 // packets in flight in each direction; further ones are dropped

// Conditions describe a network.
type Conditions struct {
	Delay time.Duration // how long each packet takes, one way
	Loss  float64       // probability that a packet is dropped, 0 to 1
	MTU   int           // bytes in a packet; 0 means 9000
}

// Link is the network. Close takes it down.
type Link struct{ ends [2]*os.File }

// Open creates the two namespaces and the network between them.
func Open(c Conditions) (l *Link, err error) {
	if c.MTU == 0 {
		c.MTU = 9000
	}
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
			fmt.Sprintf("addr add %s/24 dev %s", end.addr, Device), fmt.Sprintf("link set %s mtu %d txqueuelen 10000 up", Device, c.MTU),
		} {
			if err = ip("-n " + end.space + " " + do); err != nil {
				return l, err
			}
		}
	}
	go c.carry(l.ends[0], l.ends[1])
	go c.carry(l.ends[1], l.ends[0])
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

// within calls open on a thread that has entered the namespace. The thread ends afterwards.
func within(space string, open func() (*os.File, error)) (f *os.File, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the runtime ends the thread with the goroutine
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

// openTUN creates a TUN device in the thread's namespace. Each Read returns one IP packet.
func openTUN() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(Device)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("a TUN device: %w", err)
	}
	return os.NewFile(uintptr(fd), Device), nil
}

// packet is a packet in flight.
type packet struct {
	b  []byte
	at time.Time // when it arrives
}

// carry copies packets until one of the devices is closed. Packets that find the queue full are dropped, as on any network.
func (c Conditions) carry(from, to *os.File) {
	flying, free := make(chan packet, queueLen), make(chan []byte, queueLen)
	go func() {
		for p := range flying {
			time.Sleep(time.Until(p.at))
			_, _ = to.Write(p.b) // fails while the device is down: the packet is lost
			select {
			case free <- p.b[:cap(p.b)]:
			default:
			}
		}
	}()
	defer close(flying)
	for {
		var b []byte
		select {
		case b = <-free:
		default:
			b = make([]byte, c.MTU)
		}
		n, err := from.Read(b)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		if rand.Float64() < c.Loss {
			continue
		}
		select {
		case flying <- packet{b[:n], time.Now().Add(c.Delay)}:
		default:
		}
	}
}
