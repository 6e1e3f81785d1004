package doctor

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// checkProcs compares GOMAXPROCS with the CPUs and the cgroup's quota. By itself the runtime takes the quota, rounded up and 2 at
// least, but it does not see the quotas of the cgroups above.
func (m *machine) checkProcs() diagnosis {
	procs, cpus := m.calls.procs(), m.calls.cpus()
	value := fmt.Sprintf("%d, %d CPUs", procs, cpus)
	quota, err := tightest(m, "cpu", math.Inf(1), m.cpuQuota)
	if err != nil {
		return unjudged(value, err)
	}
	usable := cpus
	if math.IsInf(quota, 1) {
		value += ", no quota"
	} else {
		value += fmt.Sprintf(", quota %s CPUs", figures.TrimZeros(strconv.FormatFloat(quota, 'f', 2, 64)))
		usable = int(min(float64(cpus), max(2, math.Ceil(quota))))
	}
	variable := m.calls.getenv("GOMAXPROCS")
	switch {
	case procs > usable && variable == "" && !strings.Contains(m.calls.getenv("GODEBUG"), "containermaxprocs=0"):
		return tooLow(value, "the quota, which the runtime does not take into account, stops all threads until its next period",
			fmt.Sprintf("GOMAXPROCS=%d in the server's environment", usable))
	case procs > usable && variable == "":
		return tooLow(value, "GODEBUG turns the quota off: it stops all threads until its next period", "unset GODEBUG")
	case procs > usable:
		return tooLow(value, "GOMAXPROCS is set in the environment, to more than may run at once", "unset GOMAXPROCS")
	case procs < usable && variable != "":
		return tooLow(value, "GOMAXPROCS is set in the environment, and leaves CPUs idle", "unset GOMAXPROCS")
	}
	return enough(value)
}

// cpuQuota returns how many CPUs a cgroup may use.
func (m *machine) cpuQuota(g cgroup) (float64, error) {
	if g.v2 {
		line, err := m.text(path.Join(g.dir, "cpu.max"))
		if err != nil {
			return 0, err
		}
		quota, period, _ := strings.Cut(line, " ")
		if quota == "max" {
			quota = "-1"
		} else if strings.HasPrefix(quota, "-") {
			quota = ""
		}
		cpus, err := parseQuota(quota, period)
		if err != nil {
			err = fmt.Errorf("/%s/cpu.max has %.40q, want a quota and a period", g.dir, line)
		}
		return cpus, err
	}
	quota, err := m.text(path.Join(g.dir, "cpu.cfs_quota_us"))
	if err != nil {
		return 0, err
	}
	period, err := m.text(path.Join(g.dir, "cpu.cfs_period_us"))
	if err != nil {
		return 0, err
	}
	cpus, err := parseQuota(quota, period)
	if err != nil {
		err = fmt.Errorf("/%s/cpu.cfs_quota_us has %.40q, its period %.40q, want two numbers", g.dir, quota, period)
	}
	return cpus, err
}

// parseQuota divides a quota, which is -1 for none, by its period; both are microseconds.
func parseQuota(quota, period string) (float64, error) {
	q, err1 := strconv.ParseInt(quota, 10, 64)
	p, err2 := strconv.ParseInt(period, 10, 64)
	switch {
	case err1 != nil || err2 != nil || p < 1 || q == 0 || q < -1:
		return 0, errors.New("no quota")
	case q == -1:
		return math.Inf(1), nil
	}
	return float64(q) / float64(p), nil
}
