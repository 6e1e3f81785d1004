package doctor

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// memoryEach is the memory by which -conns is judged: a busy connection over TLS has a whole record of 16 KiB in memory before a
// byte of it can be used (RFC 8446 §5.1).
const memoryEach = 16 << 10

// checkMemory compares the memory that may be used, of the machine or the cgroup, with the connections.
func (m *machine) checkMemory() diagnosis {
	total, err := m.memoryTotal()
	if err != nil {
		return unjudged("", err)
	}
	limit, err := tightest(m, "memory", noMemoryLimit, m.cgroupMemory)
	whose := "of the machine"
	if limit < total {
		total, whose = limit, "in the cgroup"
	}
	value := sizeText(total) + " " + whose
	if err != nil {
		return unjudged(value, err)
	}
	need := m.conns * memoryEach
	if total >= need {
		return enough(value)
	}
	mebi, fix := (need+1<<20-1)>>20, ""
	if whose == "in the cgroup" {
		fix = fmt.Sprintf("docker: --memory %dm; systemd: MemoryMax=%[1]dM", mebi)
	}
	return tooLow(value, fmt.Sprintf("%s busy connections over TLS have %d MiB of records alone", figures.Grouped(int64(m.conns)), mebi), fix)
}

// checkMemoryLimit compares the limit that the collector knows with the one at which the kernel ends the process.
func (m *machine) checkMemoryLimit() diagnosis {
	known := m.calls.memoryLimit()
	value := "none"
	if known != math.MaxInt64 {
		value = sizeText(uint64(known))
	}
	limit, err := tightest(m, "memory", noMemoryLimit, m.cgroupMemory)
	if err != nil {
		return unjudged(value, err)
	}
	if limit == noMemoryLimit {
		return enough(value + ", none in the cgroup")
	}
	value += ", " + sizeText(limit) + " in the cgroup"
	fix := fmt.Sprintf("GOMEMLIMIT=%dMiB in the server's environment", max(1, limit/10*9>>20))
	switch {
	case known == math.MaxInt64:
		return tooLow(value, "the collector does not know of the cgroup's limit, beyond which the kernel kills the server", fix)
	case uint64(known) >= limit:
		return tooLow(value, "GOMEMLIMIT leaves no room for memory that is not Go's: socket buffers, the program's file", fix)
	}
	return enough(value)
}

// noMemoryLimit is the least number that stands for no limit. In version 1 of cgroups that is the largest int64, rounded down to a
// page; no machine has as much.
const noMemoryLimit uint64 = 1 << 62

// cgroupMemory returns how many bytes a cgroup may use; noMemoryLimit and more is no limit.
func (m *machine) cgroupMemory(g cgroup) (uint64, error) {
	if !g.v2 {
		return m.number(path.Join(g.dir, "memory.limit_in_bytes"))
	}
	file := path.Join(g.dir, "memory.max")
	if word, err := m.text(file); err == nil && word == "max" {
		return noMemoryLimit, nil
	}
	return m.number(file)
}

// memoryTotal returns the machine's memory.
func (m *machine) memoryTotal() (uint64, error) {
	const file = "proc/meminfo"
	content, err := m.content(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(content) {
		if size, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			size, ok = strings.CutSuffix(strings.TrimSpace(size), " kB")
			n, err := strconv.ParseUint(size, 10, 52)
			if !ok || err != nil {
				return 0, fmt.Errorf("/%s has %.40q, want a number of kB", file, line)
			}
			return n << 10, nil
		}
	}
	return 0, fmt.Errorf("/%s has no MemTotal", file)
}

// sizeText formats a number of bytes.
func sizeText(n uint64) string {
	if n >= 10<<30 {
		return figures.TrimZeros(strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64)) + " GiB"
	}
	return figures.TrimZeros(strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64)) + " MiB"
}
