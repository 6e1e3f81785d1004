package http1

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// generators returns the scenario that compares our load generator with wrk.
func generators() []suite.Scenario {
	t := textTraffic(64)
	return []suite.Scenario{{
		Name: "generators", Title: "the load generator beside wrk, 64 connections",
		About: "Both generators load the same process from one core, first ours and then wrk. The figures are those of the " +
			"generators. wrk counts from its start, ours after the warm-up.",
		Peers: peer.Ours, Metrics: []suite.Metric{cpuOfWrk, rateOfWrk, ownCPU, wrkCPU, ownRate, wrkRate},
		Missing: haveWrk, Check: t.check, Measure: measureGenerators,
		Time: func(d time.Duration) time.Duration { return t.time(d) + d },
	}}
}

func haveWrk() error {
	if _, err := exec.LookPath("wrk"); err != nil {
		return errors.New("wrk is not installed")
	}
	return nil
}

// measureGenerators loads s with shockwave bench and then with wrk.
func measureGenerators(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	t := textTraffic(64)
	a, err := t.run(ctx, b, s)
	if err != nil {
		return nil, err
	}
	v := result.Values{ownCPU.Key: 1e6 * (a.CPU.User + a.CPU.System) / float64(a.Requests), ownRate.Key: a.Rate}
	if v[wrkCPU.Key], v[wrkRate.Key], err = runWrk(ctx, s.URL(t.path), t.conns, b.Duration); err != nil {
		return nil, err
	}
	v[cpuOfWrk.Key], v[rateOfWrk.Key] = v[ownCPU.Key]/v[wrkCPU.Key], v[ownRate.Key]/v[wrkRate.Key]
	return v, nil
}

// runWrk returns wrk's CPU time per request, in microseconds, and its rate. It rounds d to whole seconds, which is all that
// wrk supports.
func runWrk(ctx context.Context, url string, conns int, d time.Duration) (cpuTime, perSecond float64, err error) {
	seconds := max(1, int(d.Round(time.Second)/time.Second))
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+time.Minute)
	defer cancel()
	cmd := process.Command(ctx, process.Second, "wrk", "-t1", fmt.Sprintf("-c%d", conns), fmt.Sprintf("-d%d", seconds), url)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("wrk: %w\n%s", err, text)
	}
	requests, perSecond, err := readWrk(text)
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return used.Seconds() * 1e6 / requests, perSecond, err
}

var (
	wrkRequests = regexp.MustCompile(`(?m)^ *(\d+) requests in `)
	wrkPerSec   = regexp.MustCompile(`(?m)^Requests/sec: *([\d.]+)$`)
)

// readWrk parses wrk's output. A failed request is an error.
func readWrk(text []byte) (requests, perSecond float64, err error) {
	if bytes.Contains(text, []byte("Socket errors")) || bytes.Contains(text, []byte("Non-2xx")) {
		return 0, 0, fmt.Errorf("wrk: requests failed:\n%s", text)
	}
	number := func(re *regexp.Regexp) (v float64) {
		if m := re.FindSubmatch(text); m != nil {
			v, _ = strconv.ParseFloat(string(m[1]), 64)
		}
		return v
	}
	requests, perSecond = number(wrkRequests), number(wrkPerSec)
	if requests == 0 || perSecond == 0 {
		return 0, 0, fmt.Errorf("wrk does not say how much it did:\n%s", text)
	}
	return requests, perSecond, nil
}
