// Package h2load runs nghttp2's h2load and reads its output. A failed request, or a byte too few or too many, is an error.
package h2load

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// summary is h2load's report on a run.
type summary struct {
	total, done, succeeded, failed, ok int64 // requests; ok are those with a status of 2xx
	elapsed                            time.Duration
	rate                               float64
	data                               int64         // bytes of all response bodies
	mean, slowest                      time.Duration // from a request to the end of its response
	protocol                           string
}

var (
	finished  = regexp.MustCompile(`(?m)^finished in ([\d.]+[mun]?s), ([\d.]+) req/s`)
	requests  = regexp.MustCompile(`(?m)^requests: (\d+) total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed`)
	statuses  = regexp.MustCompile(`(?m)^status codes: (\d+) 2xx`)
	traffic   = regexp.MustCompile(`(?m)^traffic: .* \((\d+)\) data$`)
	times     = regexp.MustCompile(`(?m)^time for request: +\S+ +(\S+) +(\S+) `)
	spoken    = regexp.MustCompile(`(?m)^Application protocol: (\S+)$`)
	microsign = strings.NewReplacer("us", "µs")
)

// read parses h2load's output.
func read(text string) (s summary, err error) {
	find := func(re *regexp.Regexp, n int) string {
		m := re.FindStringSubmatch(text)
		if m == nil {
			err = fmt.Errorf("h2load does not say what matches %q:\n%s", re, text)
			return ""
		}
		return m[n]
	}
	number := func(re *regexp.Regexp, n int) int64 {
		v, _ := strconv.ParseInt(find(re, n), 10, 64)
		return v
	}
	duration := func(re *regexp.Regexp, n int) time.Duration {
		d, _ := time.ParseDuration(microsign.Replace(find(re, n)))
		return d
	}
	s = summary{
		total: number(requests, 1), done: number(requests, 2), succeeded: number(requests, 3), failed: number(requests, 4),
		ok: number(statuses, 1), data: number(traffic, 1), elapsed: duration(finished, 1),
		slowest: duration(times, 1), mean: duration(times, 2), protocol: find(spoken, 1),
	}
	s.rate, _ = strconv.ParseFloat(find(finished, 2), 64)
	return s, err
}

// check returns an error unless all n requests succeeded and each response body had the given number of bytes.
func (s *summary) check(n, each int64) error {
	switch {
	case s.protocol != "h2" && s.protocol != "h2c":
		return fmt.Errorf("the protocol is %q", s.protocol)
	case s.total != n || s.done != n || s.succeeded != n || s.ok != n || s.failed != 0:
		return fmt.Errorf("of %d requests %d were done, %d succeeded, %d with a status of 2xx", n, s.done, s.succeeded, s.ok)
	case s.data != n*each:
		return fmt.Errorf("%d responses have %d bytes, want %d", n, s.data, n*each)
	case s.elapsed <= 0 || s.rate <= 0:
		return fmt.Errorf("%d requests in %v, %v a second", n, s.elapsed, s.rate)
	}
	return nil
}
