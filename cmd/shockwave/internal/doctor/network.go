package doctor

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// checkConntrack looks at the room in the firewall's table of connections. Without the module there is no table.
func (m *machine) checkConntrack() diagnosis {
	limit, err := m.number("proc/sys/net/netfilter/nf_conntrack_max")
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := fs.Stat(m.files, "proc/sys/net/ipv4"); err == nil {
			return enough("not loaded")
		}
	}
	if err != nil {
		return unjudged("", err)
	}
	used, err := m.number("proc/sys/net/netfilter/nf_conntrack_count")
	if err != nil {
		return unjudged(fmt.Sprintf("of %d", limit), err)
	}
	value := fmt.Sprintf("%d of %d", used, limit)
	if limit == 0 {
		return enough(fmt.Sprintf("%d, no limit", used))
	}
	if used <= limit && limit-used >= m.conns {
		return enough(value)
	}
	return tooLow(value, fmt.Sprintf("no room for %s connections more: the kernel drops packets of those beyond it", figures.Grouped(int64(m.conns))),
		fmt.Sprintf("sysctl -w net.netfilter.nf_conntrack_max=%d", powerOfTwo(min(used, 1<<40)+m.conns)))
}

// checkCongestionControl only informs: which one is best depends on the paths to the clients.
func (m *machine) checkCongestionControl() diagnosis {
	name, err := m.word("proc/sys/net/ipv4/tcp_congestion_control")
	if err != nil {
		return unjudged("", err)
	}
	return enough(name)
}
