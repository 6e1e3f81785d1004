package doctor

import (
	"math"
	"strings"
	"testing"
)

// GOMAXPROCS is judged by CPUs and quotas, in both versions of cgroups and on several levels.
func TestDoctorProcs(t *testing.T) {
	quota := func(s string) machineFiles {
		return machineFiles{"sys/fs/cgroup/system.slice/web.service/cpu.max": s}
	}
	above := machineFiles{"sys/fs/cgroup/system.slice/cpu.max": "300000 100000\n"}
	for _, tc := range []struct {
		files       machineFiles
		procs, cpus int
		env         string // NAME=VALUE
		value       string
		verdict     verdict
		fix         string
	}{
		{nil, 4, 4, "", "4, 4 CPUs, no quota", isOK, ""},
		{nil, 1, 4, "", "1, 4 CPUs, no quota", isOK, ""}, // set by the program
		{nil, 1, 4, "GOMAXPROCS=1", "1, 4 CPUs, no quota", isLow, "unset GOMAXPROCS"},
		{nil, 8, 4, "GOMAXPROCS=8", "8, 4 CPUs, no quota", isLow, "unset GOMAXPROCS"},
		{quota("150000 100000\n"), 2, 8, "", "2, 8 CPUs, quota 1.5 CPUs", isOK, ""},
		{quota("50000 100000\n"), 2, 8, "", "2, 8 CPUs, quota 0.5 CPUs", isOK, ""}, // Go's least
		{quota("50000 100000\n"), 1, 1, "", "1, 1 CPUs, quota 0.5 CPUs", isOK, ""},
		{quota("250000 100000\n"), 3, 8, "", "3, 8 CPUs, quota 2.5 CPUs", isOK, ""},
		{quota("250000 100000\n"), 4, 8, "GOMAXPROCS=4", "4, 8 CPUs, quota 2.5 CPUs", isLow, "unset GOMAXPROCS"},
		{quota("250000 100000\n"), 2, 8, "GOMAXPROCS=2", "2, 8 CPUs, quota 2.5 CPUs", isLow, "unset GOMAXPROCS"},
		{quota("250000 100000\n"), 8, 8, "GODEBUG=containermaxprocs=0", "8, 8 CPUs, quota 2.5 CPUs", isLow, "unset GODEBUG"},
		{quota("9000000 100000\n"), 8, 8, "", "8, 8 CPUs, quota 90 CPUs", isOK, ""},
		{above, 8, 8, "", "8, 8 CPUs, quota 3 CPUs", isLow, "GOMAXPROCS=3"},
		{above.and(quota("200000 100000\n")), 2, 8, "", "2, 8 CPUs, quota 2 CPUs", isOK, ""},
		{quota(""), 4, 4, "", "4, 4 CPUs, no quota", isOK, ""},
		{quota("0 100000\n"), 4, 4, "", "4, 4 CPUs", isUnknown, ""},
		{quota("-1 100000\n"), 4, 4, "", "4, 4 CPUs", isUnknown, ""},
		{quota("100000 0\n"), 4, 4, "", "4, 4 CPUs", isUnknown, ""},
		{quota("100000\n"), 4, 4, "", "4, 4 CPUs", isUnknown, ""},
		{quota("max\n"), 4, 4, "", "4, 4 CPUs", isUnknown, ""},
		{oldHost, 3, 8, "", "3, 8 CPUs, quota 2.5 CPUs", isOK, ""},
		{oldHost, 8, 8, "", "8, 8 CPUs, quota 2.5 CPUs", isLow, "GOMAXPROCS=3"},
		{oldHost.and(machineFiles{"sys/fs/cgroup/the cpu/cpu.cfs_period_us": ""}), 8, 8, "", "8, 8 CPUs, no quota", isOK, ""},
		{oldHost.and(machineFiles{"sys/fs/cgroup/the cpu/cpu.cfs_quota_us": "-2\n"}), 8, 8, "", "8, 8 CPUs", isUnknown, ""},
		{machineFiles{"proc/self/cgroup": "1:name=systemd:/\n"}, 4, 4, "", "4, 4 CPUs, no quota", isOK, ""},
		{machineFiles{"proc/self/cgroup": "0::/../other\n"}, 4, 4, "", "4, 4 CPUs", isUnknown, ""},
		{machineFiles{"proc/self/cgroup": "2:cpu:/\n"}, 4, 4, "", "4, 4 CPUs", isUnknown, ""},
	} {
		p := goodProcess()
		p.procs, p.cpus = tc.procs, tc.cpus
		if name, value, ok := strings.Cut(tc.env, "="); ok {
			p.env = map[string]string{name: value}
		}
		wantDiagnosis(t, checkOn(t, bareHost.and(tc.files).machine(p), "GOMAXPROCS"), tc.value, tc.verdict, tc.fix)
	}
}

// Memory and GOMEMLIMIT are judged by what the cgroups and the machine allow.
func TestDoctorMemory(t *testing.T) {
	limit := func(s string) machineFiles {
		return machineFiles{"sys/fs/cgroup/system.slice/memory.max": s}
	}
	for _, tc := range []struct {
		name    string
		files   machineFiles
		known   int64
		value   string
		verdict verdict
		fix     string
	}{
		{"memory", nil, math.MaxInt64, "15.6 GiB of the machine", isOK, ""},
		{"memory", machineFiles{"proc/meminfo": "MemTotal: 102400 kB\n"}, math.MaxInt64, "100 MiB of the machine", isLow, ""},
		{"memory", limit("163840000\n"), math.MaxInt64, "156.2 MiB in the cgroup", isOK, ""},
		{"memory", limit("163839999\n"), math.MaxInt64, "156.2 MiB in the cgroup", isLow, "docker: --memory 157m; systemd: MemoryMax=157M"},
		{"memory", limit("99999999999999\n"), math.MaxInt64, "15.6 GiB of the machine", isOK, ""},
		{"memory", oldHost, math.MaxInt64, "1024 MiB in the cgroup", isOK, ""},
		{"memory", limit("5 kB\n"), math.MaxInt64, "15.6 GiB of the machine", isUnknown, ""},
		{"GOMEMLIMIT", nil, math.MaxInt64, "none, none in the cgroup", isOK, ""},
		{"GOMEMLIMIT", nil, 1 << 30, "1024 MiB, none in the cgroup", isOK, ""},
		{"GOMEMLIMIT", limit("1073741824\n"), math.MaxInt64, "none, 1024 MiB in the cgroup", isLow, "GOMEMLIMIT=921MiB"},
		{"GOMEMLIMIT", limit("1073741824\n"), 1 << 30, "1024 MiB, 1024 MiB in the cgroup", isLow, "GOMEMLIMIT=921MiB"},
		{"GOMEMLIMIT", limit("1073741824\n"), 900 << 20, "900 MiB, 1024 MiB in the cgroup", isOK, ""},
		{"GOMEMLIMIT", limit("0\n"), math.MaxInt64, "none, 0 MiB in the cgroup", isLow, "GOMEMLIMIT=1MiB"},
		{"GOMEMLIMIT", oldHost, math.MaxInt64, "none, 1024 MiB in the cgroup", isLow, "GOMEMLIMIT=921MiB"},
		{"GOMEMLIMIT", limit("-1\n"), math.MaxInt64, "none", isUnknown, ""},
	} {
		p := goodProcess()
		p.memory = tc.known
		wantDiagnosis(t, checkOn(t, bareHost.and(tc.files).machine(p), tc.name), tc.value, tc.verdict, tc.fix)
	}
}
