package doctor

import (
	"fmt"
	"strconv"
)

// usualQueue is net.core.somaxconn's default since Linux 5.4. A queue is judged by the connections that may come at once, as after
// a restart, but no more than this is asked for: what does not fit is tried again by the client's TCP.
const usualQueue = 4096

// checkAcceptQueue looks at the queue of connections that are established and not yet accepted. Package net has it as long as
// somaxconn allows.
func (m *machine) checkAcceptQueue() diagnosis {
	n, err := m.number("proc/sys/net/core/somaxconn")
	if err != nil {
		return unjudged("", err)
	}
	value, want := strconv.FormatUint(n, 10), min(m.conns, usualQueue)
	if n >= want {
		return enough(value)
	}
	return tooLow(value, "clients that connect at once wait a second or more when this queue is full",
		fmt.Sprintf("sysctl -w net.core.somaxconn=%d, and restart the server", want))
}

// checkSYNQueue looks at the bound on half-open connections. Linux ignores it while SYN cookies are on: then the accept queue's
// bound is that of half-open connections, too, and beyond it come cookies.
func (m *machine) checkSYNQueue() diagnosis {
	n, err := m.number("proc/sys/net/ipv4/tcp_max_syn_backlog")
	if err != nil {
		return unjudged("", err)
	}
	value, want := strconv.FormatUint(n, 10), min(m.conns, usualQueue)
	cookies, err := m.number("proc/sys/net/ipv4/tcp_syncookies")
	switch {
	case err != nil:
		return unjudged(value, err)
	case cookies > 2:
		return unjudged(value, fmt.Errorf("/proc/sys/net/ipv4/tcp_syncookies has %d, want 0, 1 or 2", cookies))
	case cookies > 0:
		return enough(value + ", not used: SYN cookies are on")
	case n >= want:
		return enough(value + ", SYN cookies are off")
	}
	return tooLow(value+", SYN cookies are off", "beyond it new connections are dropped, and SYN cookies do not step in",
		fmt.Sprintf("sysctl -w net.ipv4.tcp_syncookies=1, or net.ipv4.tcp_max_syn_backlog=%d", want))
}
