package doctor

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// otherDescriptors is how many descriptors a server needs besides its connections: listeners, logs, the poller.
const otherDescriptors = 64

// checkDescriptors compares the limit of descriptors with the connections. The Go runtime has raised the soft limit to the hard
// one, as it will in the server.
func (m *machine) checkDescriptors() diagnosis {
	soft, hard, err := m.calls.descriptors()
	if err != nil {
		return unjudged("", err)
	}
	value := fmt.Sprintf("soft %s, hard %s", limitText(soft), limitText(hard))
	need := m.conns + otherDescriptors
	if soft >= need {
		return enough(value)
	}
	n := powerOfTwo(need)
	return tooLow(value,
		fmt.Sprintf("%s connections and %d other files need %s; a proxy needs two for each connection",
			figures.Grouped(int64(m.conns)), otherDescriptors, figures.Grouped(int64(need))),
		fmt.Sprintf("ulimit -n %d (as root); systemd: LimitNOFILE=%[1]d; docker: --ulimit nofile=%[1]d:%[1]d", n))
}

// limitText returns a limit of the process. Some systems have signed limits, so "unlimited" has two values.
func limitText(n uint64) string {
	if n >= math.MaxInt64 {
		return "unlimited"
	}
	return strconv.FormatUint(n, 10)
}

// powerOfTwo returns the smallest power of two that is at least n, for n up to 1<<62.
func powerOfTwo(n uint64) uint64 { return 1 << bits.Len64(n-1) }
