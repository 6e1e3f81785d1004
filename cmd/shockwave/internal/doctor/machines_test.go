package doctor

import (
	"errors"
	"maps"
	"math"
	"testing/fstest"
)

// files are those of a machine, by their paths from / without the slash. An empty one is not there.
type machineFiles map[string]string

// bareHost has all that is looked at, and nothing of it is low.
var bareHost = machineFiles{
	"proc/sys/net/core/somaxconn":                                       "4096\n",
	"proc/sys/net/core/rmem_max":                                        "7340032\n",
	"proc/sys/net/core/wmem_max":                                        "8388608\n",
	"proc/sys/net/ipv4/tcp_max_syn_backlog":                             "512\n",
	"proc/sys/net/ipv4/tcp_syncookies":                                  "1\n",
	"proc/sys/net/ipv4/ip_local_port_range":                             "32768\t60999\n",
	"proc/sys/net/ipv4/tcp_tw_reuse":                                    "2\n",
	"proc/sys/net/ipv4/tcp_congestion_control":                          "cubic\n",
	"proc/sys/net/netfilter/nf_conntrack_max":                           "262144\n",
	"proc/sys/net/netfilter/nf_conntrack_count":                         "40\n",
	"proc/self/cgroup":                                                  "0::/system.slice/web.service\n",
	"proc/self/mountinfo":                                               unifiedMount,
	"proc/meminfo":                                                      "MemTotal:       16384000 kB\nMemFree:        8000000 kB\n",
	"sys/fs/cgroup/system.slice/cpu.max":                                "max 100000\n",
	"sys/fs/cgroup/system.slice/web.service/cpu.max":                    "max 100000\n",
	"sys/fs/cgroup/system.slice/memory.max":                             "max\n",
	"sys/fs/cgroup/system.slice/web.service/memory.max":                 "max\n",
	"sys/devices/system/clocksource/clocksource0/current_clocksource":   "tsc\n",
	"sys/kernel/mm/transparent_hugepage/enabled":                        "always [madvise] never\n",
	"sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none":       "511\n",
	"sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm \n",
}

const unifiedMount = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
31 22 0:28 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate
`

// container has a quota and a limit of memory, low limits of descriptors, and does not show what belongs to the host.
var container = machineFiles{
	"proc/sys/net/core/somaxconn": "128\n",
	"proc/sys/net/core/rmem_max":  "",
	"proc/sys/net/core/wmem_max":  "",
	"proc/self/cgroup":            "0::/\n",
	"sys/fs/cgroup/cpu.max":       "150000 100000\n",
	"sys/fs/cgroup/memory.max":    "134217728\n",
	"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
	"sys/kernel/mm/transparent_hugepage/enabled":                      "[always] madvise never\n",
}

// oldHost has both hierarchies of version 1 of cgroups, where a limit stands above the process's own cgroup.
var oldHost = machineFiles{
	"proc/self/cgroup": "3:memory:/web/blue\n2:cpu,cpuacct:/web/blue\n1:name=systemd:/web\n0::/web\n",
	"proc/self/mountinfo": `31 22 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
32 31 0:29 /web /sys/fs/cgroup/the\040cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
33 31 0:30 / /sys/fs/cgroup/memory rw,relatime shared:7 master:2 - cgroup cgroup rw,memory
34 31 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`,
	"sys/fs/cgroup/the cpu/cpu.cfs_quota_us":              "250000\n",
	"sys/fs/cgroup/the cpu/cpu.cfs_period_us":             "100000\n",
	"sys/fs/cgroup/the cpu/blue/cpu.cfs_quota_us":         "-1\n",
	"sys/fs/cgroup/the cpu/blue/cpu.cfs_period_us":        "100000\n",
	"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
	"sys/fs/cgroup/memory/web/memory.limit_in_bytes":      "1073741824\n",
	"sys/fs/cgroup/memory/web/blue/memory.limit_in_bytes": "9223372036854771712\n",
}

// and returns the files with changes.
func (f machineFiles) and(changes machineFiles) machineFiles {
	all := maps.Clone(f)
	maps.Copy(all, changes)
	return all
}

// fakeProcess is a process to which an environment and other things can be given.
type fakeProcess struct {
	soft, hard  uint64
	limitError  error
	gso, gro    error
	procs, cpus int
	memory      int64
	env         map[string]string
}

func goodProcess() fakeProcess {
	return fakeProcess{soft: 1 << 20, hard: 1 << 20, procs: 4, cpus: 4, memory: math.MaxInt64}
}

// machine returns the machine that has these files, and on which p runs.
func (f machineFiles) machine(p fakeProcess) *machine {
	files := fstest.MapFS{}
	for path, content := range f {
		if content != "" {
			files[path] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	return &machine{files: files, conns: 10_000, calls: processCalls{
		descriptors: func() (uint64, uint64, error) { return p.soft, p.hard, p.limitError },
		offload: func(receive bool) error {
			if receive {
				return p.gro
			}
			return p.gso
		},
		procs:       func() int { return p.procs },
		cpus:        func() int { return p.cpus },
		memoryLimit: func() int64 { return p.memory },
		getenv:      func(name string) string { return p.env[name] },
	}}
}

var errNotAllowed = errors.New("operation not permitted")
