package doctor

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// checkOn runs one check.
func checkOn(t *testing.T, m *machine, name string) diagnosis {
	t.Helper()
	for _, c := range checks {
		if c.name == name {
			d := c.look(m)
			d.Name = name
			wantForm(t, d)
			return d
		}
	}
	t.Fatalf("no check is called %q", name)
	return diagnosis{}
}

// Each check judges the values around its limit.
func TestDoctorChecks(t *testing.T) {
	const (
		core, ipv4, table = "proc/sys/net/core/", "proc/sys/net/ipv4/", "proc/sys/net/netfilter/nf_conntrack_"
		huge, clock       = "sys/kernel/mm/transparent_hugepage/", "sys/devices/system/clocksource/clocksource0/"
	)
	for _, tc := range []struct {
		name    string
		conns   uint64 // 0 is 10,000
		files   machineFiles
		value   string
		verdict verdict
		fix     string // its beginning
	}{
		{"net.core.somaxconn", 0, machineFiles{core + "somaxconn": "4095\n"}, "4095", isLow, "sysctl -w net.core.somaxconn=4096, "},
		{"net.core.somaxconn", 100, machineFiles{core + "somaxconn": "128"}, "128", isOK, ""},
		{"net.ipv4.tcp_max_syn_backlog", 0, machineFiles{ipv4 + "tcp_syncookies": "0\n"}, "512, SYN cookies are off", isLow, "sysctl -w net.ipv4.tcp_syncookies=1, "},
		{"net.ipv4.tcp_max_syn_backlog", 500, machineFiles{ipv4 + "tcp_syncookies": "0\n"}, "512, SYN cookies are off", isOK, ""},
		{"net.ipv4.tcp_max_syn_backlog", 0, machineFiles{ipv4 + "tcp_syncookies": "3\n"}, "512", isUnknown, ""},
		{"net.ipv4.ip_local_port_range", 28_233, nil, "32768-60999, 28,232 ports", isLow, "sysctl -w net.ipv4.ip_local_port_range='10240 65535'"},
		{"net.ipv4.ip_local_port_range", 60_000, nil, "32768-60999, 28,232 ports", isLow, "sysctl -w net.ipv4.ip_local_port_range='1024 65535'"},
		{"net.ipv4.ip_local_port_range", 100_000, nil, "32768-60999, 28,232 ports", isLow, ""},
		{"net.ipv4.ip_local_port_range", 1, machineFiles{ipv4 + "ip_local_port_range": "9\t9\n"}, "9-9, 1 ports", isOK, ""},
		{"net.ipv4.ip_local_port_range", 1, machineFiles{ipv4 + "ip_local_port_range": "10\t9\n"}, "", isUnknown, ""},
		{"net.ipv4.ip_local_port_range", 1, machineFiles{ipv4 + "ip_local_port_range": "1\t65536\n"}, "", isUnknown, ""},
		{"net.ipv4.tcp_tw_reuse", 14_117, nil, "2, on loopback only", isLow, "sysctl -w net.ipv4.tcp_tw_reuse=1"},
		{"net.ipv4.tcp_tw_reuse", 14_116, nil, "2, on loopback only", isOK, ""},
		{"net.ipv4.tcp_tw_reuse", 20_000, machineFiles{ipv4 + "tcp_tw_reuse": "0\n"}, "0, off", isLow, "sysctl"},
		{"net.ipv4.tcp_tw_reuse", 20_000, machineFiles{ipv4 + "tcp_tw_reuse": "1\n"}, "1, on", isOK, ""},
		{"net.ipv4.tcp_tw_reuse", 20_000, machineFiles{ipv4 + "tcp_tw_reuse": "3\n"}, "3", isUnknown, ""},
		{"net.ipv4.tcp_tw_reuse", 0, machineFiles{ipv4 + "ip_local_port_range": ""}, "2, on loopback only", isUnknown, ""},
		{"nf_conntrack", 0, machineFiles{table + "max": "", table + "count": ""}, "not loaded", isOK, ""},
		{"nf_conntrack", 0, machineFiles{table + "max": "0\n"}, "40, no limit", isOK, ""},
		{"nf_conntrack", 0, machineFiles{table + "max": "10040\n"}, "40 of 10040", isOK, ""},
		{"nf_conntrack", 0, machineFiles{table + "max": "10039\n"}, "40 of 10039", isLow, "sysctl -w net.netfilter.nf_conntrack_max=16384"},
		{"nf_conntrack", 0, machineFiles{table + "max": "30\n"}, "40 of 30", isLow, "sysctl"},
		{"nf_conntrack", 0, machineFiles{table + "count": ""}, "of 262144", isUnknown, ""},
		{"TCP congestion control", 0, machineFiles{ipv4 + "tcp_congestion_control": "bbr\n"}, "bbr", isOK, ""},
		{"net.core.rmem_max", 0, machineFiles{core + "rmem_max": "212992\n"}, "212992", isLow, "sysctl -w net.core.rmem_max=7340032"},
		{"net.core.wmem_max", 0, machineFiles{core + "wmem_max": "3670015\n"}, "3670015", isLow, "sysctl -w net.core.wmem_max=7340032"},
		{"transparent huge pages", 0, machineFiles{huge + "enabled": "[always] madvise never\n"}, "always, max_ptes_none 511", isLow, "echo 0 > /" + huge},
		{"transparent huge pages", 0, machineFiles{huge + "enabled": "[always] madvise never\n", huge + "khugepaged/max_ptes_none": "0\n"}, "always, max_ptes_none 0", isOK, ""},
		{"transparent huge pages", 0, machineFiles{huge + "enabled": "[always] madvise never\n", huge + "khugepaged/max_ptes_none": ""}, "always", isUnknown, ""},
		{"transparent huge pages", 0, machineFiles{huge + "enabled": "always madvise [never]\n"}, "never", isOK, ""},
		{"transparent huge pages", 0, machineFiles{huge + "enabled": "always [later]\n"}, "later", isUnknown, ""},
		{"transparent huge pages", 0, machineFiles{huge + "enabled": "[always] [never]\n"}, "", isUnknown, ""},
		{"clock source", 0, machineFiles{clock + "current_clocksource": "acpi_pm\n"}, "acpi_pm", isLow, "echo tsc > /sys/"},
		{"clock source", 0, machineFiles{clock + "current_clocksource": "hpet\n", clock + "available_clocksource": "hpet acpi_pm \n"}, "hpet", isLow, ""},
		{"clock source", 0, machineFiles{clock + "current_clocksource": "hpet\n", clock + "available_clocksource": ""}, "hpet", isLow, ""},
		{"clock source", 0, machineFiles{clock + "current_clocksource": "kvm-clock\n"}, "kvm-clock", isOK, ""},
		{"clock source", 0, machineFiles{clock + "current_clocksource": "arch_sys_counter\n"}, "arch_sys_counter", isOK, ""},
		{"clock source", 0, machineFiles{clock + "current_clocksource": "xen\n"}, "xen", isUnknown, ""},
		{"clock source", 0, machineFiles{clock + "current_clocksource": "sundial\n"}, "sundial", isUnknown, ""},
	} {
		m := bareHost.and(tc.files).machine(goodProcess())
		if tc.conns > 0 {
			m.conns = tc.conns
		}
		wantDiagnosis(t, checkOn(t, m, tc.name), tc.value, tc.verdict, tc.fix)
	}
}

// wantDiagnosis compares a result; fix is the beginning of what mends it, and "" is nothing.
func wantDiagnosis(t *testing.T, d diagnosis, value string, v verdict, fix string) {
	t.Helper()
	if d.Value != value || d.Verdict != v || !strings.HasPrefix(d.Fix, fix) || fix == "" && d.Fix != "" {
		t.Errorf("%+v\nwant %q, %s, fix %q", d, value, v, fix)
	}
}

// The checks of the process itself judge its limits and its environment.
func TestDoctorProcess(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(*fakeProcess)
		value   string
		verdict verdict
		fix     string
	}{
		{"descriptors", func(p *fakeProcess) { p.soft, p.hard = 10_064, 10_064 }, "soft 10064, hard 10064", isOK, ""},
		{"descriptors", func(p *fakeProcess) { p.soft, p.hard = 10_063, 10_063 }, "soft 10063, hard 10063", isLow, "ulimit -n 16384"},
		{"descriptors", func(p *fakeProcess) { p.soft, p.hard = math.MaxInt64, math.MaxUint64 }, "soft unlimited, hard unlimited", isOK, ""},
		{"descriptors", func(p *fakeProcess) { p.limitError = errNotAllowed }, "", isUnknown, ""},
		{"UDP GSO", func(p *fakeProcess) { p.gso = errors.ErrUnsupported }, "not there", isLow, ""},
		{"UDP GSO", func(p *fakeProcess) { p.gso = errNotAllowed }, "", isUnknown, ""},
		{"UDP GSO", func(p *fakeProcess) { p.env = map[string]string{"QUIC_GO_DISABLE_GSO": "true"} }, "turned off by QUIC_GO_DISABLE_GSO", isLow, "unset"},
		{"UDP GSO", func(p *fakeProcess) { p.env = map[string]string{"QUIC_GO_DISABLE_GSO": "maybe"} }, "works", isOK, ""},
		{"UDP GRO", func(p *fakeProcess) { p.gro = errors.ErrUnsupported }, "not there, not used by quic-go", isOK, ""},
		{"UDP GRO", func(p *fakeProcess) { p.gro = errNotAllowed }, "", isUnknown, ""},
	} {
		p := goodProcess()
		tc.change(&p)
		wantDiagnosis(t, checkOn(t, bareHost.machine(p), tc.name), tc.value, tc.verdict, tc.fix)
	}
}

// A file that is missing, unreadable or malformed makes its check unknown, and no other.
func TestDoctorMalformedFiles(t *testing.T) {
	readBy := map[string]string{
		"proc/sys/net/core/somaxconn":                                     "net.core.somaxconn",
		"proc/sys/net/core/rmem_max":                                      "net.core.rmem_max",
		"proc/sys/net/core/wmem_max":                                      "net.core.wmem_max",
		"proc/sys/net/ipv4/tcp_max_syn_backlog":                           "net.ipv4.tcp_max_syn_backlog",
		"proc/sys/net/ipv4/tcp_syncookies":                                "net.ipv4.tcp_max_syn_backlog",
		"proc/sys/net/ipv4/ip_local_port_range":                           "net.ipv4.ip_local_port_range net.ipv4.tcp_tw_reuse",
		"proc/sys/net/ipv4/tcp_tw_reuse":                                  "net.ipv4.tcp_tw_reuse",
		"proc/sys/net/ipv4/tcp_congestion_control":                        "TCP congestion control",
		"proc/sys/net/netfilter/nf_conntrack_max":                         "nf_conntrack",
		"proc/sys/net/netfilter/nf_conntrack_count":                       "nf_conntrack",
		"proc/self/cgroup":                                                "GOMAXPROCS memory GOMEMLIMIT",
		"proc/self/mountinfo":                                             "GOMAXPROCS memory GOMEMLIMIT",
		"proc/meminfo":                                                    "memory",
		"sys/fs/cgroup/system.slice/cpu.max":                              "GOMAXPROCS",
		"sys/fs/cgroup/system.slice/memory.max":                           "memory GOMEMLIMIT",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "clock source",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "transparent huge pages",
	}
	for file, names := range readBy {
		for _, content := range []string{
			"\n", " ", "one two\n", "-5\n", "+5\n", " 5\n", "5\n5\n", "5\r\n", "0x10\n", "5_0\n", "1e3\n", "\x00\x01", "é\n",
			"18446744073709551616\n", strings.Repeat("9", 5000), "\x1b[31m\n", "::\n", "MemTotal: 5 GB\n", "[] []\n", "a - b\n",
		} {
			for _, d := range bareHost.and(machineFiles{file: content}).machine(goodProcess()).diagnose() {
				wantForm(t, d)
				if affected := strings.Contains(names, d.Name); affected != (d.Verdict == isUnknown) {
					t.Errorf("/%s is %.20q: %s is %s, value %q", file, content, d.Name, d.Verdict, d.Value)
				}
			}
		}
	}
}
