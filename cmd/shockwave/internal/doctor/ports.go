package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Ranges of local ports that are suggested: one that leaves the ports of most services alone, and the widest one.
const (
	safeFirstPort, leastFirstPort = 10_240, 1024
	lastPort                      = 65_535
)

// checkPorts looks at the ports of outgoing connections: each connection to the same address and port has one of its own.
func (m *machine) checkPorts() diagnosis {
	first, last, err := m.ports()
	if err != nil {
		return unjudged("", err)
	}
	value := fmt.Sprintf("%d-%d, %s ports", first, last, figures.Grouped(int64(last-first+1)))
	if last-first+1 >= m.conns {
		return enough(value)
	}
	reason := fmt.Sprintf("a proxy or client cannot have %s connections to one address; servers do not need this", figures.Grouped(int64(m.conns)))
	switch fix := "sysctl -w net.ipv4.ip_local_port_range='%d %d'"; {
	case m.conns <= lastPort-safeFirstPort+1:
		return tooLow(value, reason, fmt.Sprintf(fix, safeFirstPort, lastPort))
	case m.conns <= lastPort-leastFirstPort+1:
		return tooLow(value, reason, fmt.Sprintf(fix, leastFirstPort, lastPort))
	}
	return tooLow(value, reason+". No range is wide enough: use more addresses", "")
}

// checkPortReuse looks whether outgoing connections may take the port of one in TIME-WAIT. That matters where the ports are not
// enough for all connections and as many in TIME-WAIT.
func (m *machine) checkPortReuse() diagnosis {
	n, err := m.number("proc/sys/net/ipv4/tcp_tw_reuse")
	if err != nil {
		return unjudged("", err)
	}
	value := strconv.FormatUint(n, 10)
	switch n {
	case 0:
		value += ", off"
	case 1:
		return enough(value + ", on")
	case 2:
		value += ", on loopback only"
	default:
		return unjudged(value, fmt.Errorf("/proc/sys/net/ipv4/tcp_tw_reuse has %d, want 0, 1 or 2", n))
	}
	first, last, err := m.ports()
	if err != nil {
		return unjudged(value, err)
	}
	if last-first+1 >= 2*m.conns {
		return enough(value)
	}
	return tooLow(value, "a proxy or client that makes many short connections runs out of ports; servers do not need this",
		"sysctl -w net.ipv4.tcp_tw_reuse=1")
}

// ports returns the first and the last local port of outgoing connections.
func (m *machine) ports() (first, last uint64, err error) {
	const path = "proc/sys/net/ipv4/ip_local_port_range"
	line, err := m.text(path)
	if err != nil {
		return 0, 0, err
	}
	low, high, _ := strings.Cut(line, "\t")
	first, err1 := strconv.ParseUint(low, 10, 16)
	last, err2 := strconv.ParseUint(high, 10, 16)
	if err1 != nil || err2 != nil || first == 0 || first > last {
		return 0, 0, fmt.Errorf("/%s has %.40q, want two ports", path, line)
	}
	return first, last, nil
}
