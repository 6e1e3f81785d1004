package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Flags that do not fit are refused, and help explains the rest.
func TestDoctorCommandLine(t *testing.T) {
	clitest.TestLines(t, program, []clitest.Line{
		{"doctor -h", 0, "-conns N", ""},
		{"doctor -h", 0, "Exit codes: 0 if nothing is low", ""},
		{"doctor now", 2, "", `doctor: unexpected argument "now"`},
		{"doctor -conns 0", 2, "", "doctor: -conns wants at least 1"},
		{"doctor -conns many", 2, "", "want a whole number"},
		{"doctor -fix", 2, "", "flag provided but not defined"},
	})
}

// On the machine of the test every check says something, and the exit code follows the verdicts.
func TestDoctorHere(t *testing.T) {
	var out, errs bytes.Buffer
	code := program([]string{"doctor", "-json", "-conns", "10"}, cli.Console{Out: &out, Err: &errs})
	var found []diagnosis
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	if len(found) != len(checks) {
		t.Errorf("%d results of %d checks", len(found), len(checks))
	}
	low := 0
	for _, d := range found {
		wantForm(t, d)
		if d.Verdict == isLow {
			low = 1
		}
	}
	if code != low || (errs.Len() > 0) != (low > 0) {
		t.Errorf("exit code %d, want %d; it says %q", code, low, &errs)
	}
}

// wantForm checks what is true of every result.
func wantForm(t *testing.T, d diagnosis) {
	t.Helper()
	switch {
	case d.Name == "":
		t.Errorf("no name: %+v", d)
	case !slices.Contains([]verdict{isOK, isLow, isUnknown}, d.Verdict):
		t.Errorf("%s: the verdict is %q", d.Name, d.Verdict)
	case (d.Reason == "") != (d.Verdict == isOK):
		t.Errorf("%s: it is %s, and the reason is %q", d.Name, d.Verdict, d.Reason)
	case d.Fix != "" && d.Verdict != isLow:
		t.Errorf("%s: it is %s, and the fix is %q", d.Name, d.Verdict, d.Fix)
	case d.Value == "" && d.Verdict != isUnknown:
		t.Errorf("%s: it is %s without a value", d.Name, d.Verdict)
	}
	if strings.ContainsFunc(d.Value+d.Reason+d.Fix, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		t.Errorf("a control character: %+v", d)
	}
}

// Each check finds what an old host lacks, and nothing on a good one.
func TestDoctorBareHost(t *testing.T) {
	var out bytes.Buffer
	if err := examine(bareHost.machine(goodProcess()), false, &out); err != nil {
		t.Error(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != len(checks) || strings.Count(out.String(), "ok ") != lines {
		t.Errorf("not all is ok:\n%s", &out)
	}
}

// smallContainer is a container in which most is low.
func smallContainer() *machine {
	return bareHost.and(container).machine(fakeProcess{soft: 1024, hard: 4096, procs: 8, cpus: 8, memory: 128 << 20,
		env: map[string]string{"GOMAXPROCS": "8"}})
}

const smallContainerReport = `low      descriptors                    soft 1024, hard 4096
         10,000 connections and 64 other files need 10,064; a proxy needs two for each connection
         fix: ulimit -n 16384 (as root); systemd: LimitNOFILE=16384; docker: --ulimit nofile=16384:16384
low      net.core.somaxconn             128
         clients that connect at once wait a second or more when this queue is full
         fix: sysctl -w net.core.somaxconn=4096, and restart the server
ok       net.ipv4.tcp_max_syn_backlog   512, not used: SYN cookies are on
ok       net.ipv4.ip_local_port_range   32768-60999, 28,232 ports
ok       net.ipv4.tcp_tw_reuse          2, on loopback only
ok       nf_conntrack                   40 of 262144
ok       TCP congestion control         cubic
unknown  net.core.rmem_max              -
         /proc/sys/net/core/rmem_max: file does not exist; containers may not show it: look on the host
unknown  net.core.wmem_max              -
         /proc/sys/net/core/wmem_max: file does not exist; containers may not show it: look on the host
ok       UDP GSO                        works
ok       UDP GRO                        works, not used by quic-go
low      GOMAXPROCS                     8, 8 CPUs, quota 1.5 CPUs
         GOMAXPROCS is set in the environment, to more than may run at once
         fix: unset GOMAXPROCS
low      memory                         128 MiB in the cgroup
         10,000 busy connections over TLS have 157 MiB of records alone
         fix: docker: --memory 157m; systemd: MemoryMax=157M
low      GOMEMLIMIT                     128 MiB, 128 MiB in the cgroup
         GOMEMLIMIT leaves no room for memory that is not Go's: socket buffers, the program's file
         fix: GOMEMLIMIT=115MiB in the server's environment
low      transparent huge pages         always, max_ptes_none 511
         memory that Go has returned to the kernel can become resident again
         fix: echo 0 > /sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none
low      clock source                   hpet
         every look at the time is a system call, or reads a slow device
         fix: echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource
`

// The text report has the verdict, the reason and the fix of each check.
func TestDoctorReport(t *testing.T) {
	var out bytes.Buffer
	err := examine(smallContainer(), false, &out)
	if diff := cmp.Diff(smallContainerReport, out.String()); diff != "" {
		t.Errorf("the report differs (-want +got):\n%s", diff)
	}
	if err == nil || err.Error() != "7 of 16 checks are low" {
		t.Errorf("error %v", err)
	}
}

// The JSON report has the same figures as the text.
func TestDoctorJSON(t *testing.T) {
	var out bytes.Buffer
	m := smallContainer()
	if err := examine(m, true, &out); err == nil {
		t.Error("no error, though something is low")
	}
	if !strings.Contains(out.String(), `"fix": "echo 0 > /sys/`) {
		t.Error("a command is not written as it is typed")
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	var found []diagnosis
	if err := d.Decode(&found); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.diagnose(), found); diff != "" {
		t.Errorf("JSON changes the results:\n%s", diff)
	}
	for _, d := range found {
		wantForm(t, d)
	}
}

// On a system without /proc and /sys nothing is low because it cannot be read.
func TestDoctorElsewhere(t *testing.T) {
	p := goodProcess()
	p.limitError, p.gso, p.gro = errNotAllowed, errNotAllowed, errNotAllowed
	for _, d := range (machineFiles{}).machine(p).diagnose() {
		if wantForm(t, d); d.Verdict != isUnknown {
			t.Errorf("%s is %s", d.Name, d.Verdict)
		}
	}
}

// An output that fails is an error.
func TestDoctorWhenNobodyReads(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		if examine(bareHost.machine(goodProcess()), asJSON, clitest.ClosedWriter{}) == nil {
			t.Error("no error, though nothing could be written")
		}
	}
}

// docs/tuning.md has a section for each check.
func TestDoctorPage(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/tuning.md")
	if err != nil {
		t.Fatal(err)
	}
	var headings strings.Builder
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "## ") {
			headings.WriteString(strings.ToLower(strings.ReplaceAll(line, "`", "")))
		}
	}
	for _, c := range checks {
		if !strings.Contains(headings.String(), strings.ToLower(c.name)) {
			t.Errorf("no heading names %s", c.name)
		}
	}
}
