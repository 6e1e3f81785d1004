package h2load

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Missing returns an error if h2load is not installed.
func Missing() error {
	if _, err := exec.LookPath("h2load"); err != nil {
		return errors.New("h2load is not installed (Debian: nghttp2-client)")
	}
	return nil
}

// Plan describes load on one path.
type Plan struct {
	Path     string
	Fields   []string // "name: value"
	BodyFile string   // posted with every request; "" sends GET
	Conns    int
	Streams  int // concurrent requests on each connection
	Response int // bytes of each response body
	Duration time.Duration
}

// Account is the result of a run.
type Account struct {
	load.Account
	Mean, Slowest time.Duration // from a request to the end of its response
}

// fewest is how many requests per stream the first run sends to estimate the rate.
const fewest = 20

// Run sends requests as fast as responses come. Uncounted first runs find out how many requests take the plan's
// duration.
func Run(ctx context.Context, s *process.Server, p Plan) (*Account, error) {
	n := int64(fewest * p.Conns * p.Streams)
	first, err := p.run(ctx, s, n)
	if err != nil {
		return nil, err
	}
	// The first requests of a connection are slow, and windows grow slowly, so the estimate is repeated with more requests.
	if n = int64(first.Rate * min(p.Duration, 200*time.Millisecond).Seconds()); n > int64(p.Conns) {
		if first, err = p.run(ctx, s, n); err != nil {
			return nil, err
		}
	}
	return p.run(ctx, s, max(int64(first.Rate*p.Duration.Seconds()), int64(p.Conns*p.Streams)))
}

// Send sends n requests.
func (p *Plan) Send(ctx context.Context, s *process.Server, n int64) error {
	_, err := p.run(ctx, s, n)
	return err
}

// run sends n requests.
func (p *Plan) run(ctx context.Context, s *process.Server, n int64) (*Account, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*p.Duration+time.Minute)
	defer cancel()
	user, system, err := process.Times(s.PID)
	if err != nil {
		return nil, err
	}
	cmd := process.Command(ctx, process.Second, "h2load", p.args(s, n)...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("h2load: %w\n%s", err, text)
	}
	said, err := read(string(text))
	if err == nil {
		err = said.check(n, int64(p.Response))
	}
	if err != nil {
		return nil, fmt.Errorf("h2load: %w", err)
	}
	a := &Account{Mean: said.mean, Slowest: said.slowest}
	a.Requests, a.Rate, a.Elapsed = n, said.rate, said.elapsed.Seconds()
	a.CPU.User, a.CPU.System = cmd.ProcessState.UserTime().Seconds(), cmd.ProcessState.SystemTime().Seconds()
	if a.Target.User, a.Target.System, err = process.Times(s.PID); err != nil {
		return nil, err
	}
	a.Target.User -= user
	a.Target.System -= system
	return a, nil
}

// args returns the arguments of h2load.
func (p *Plan) args(s *process.Server, n int64) []string {
	args := []string{"-n", strconv.FormatInt(n, 10), "-c", strconv.Itoa(p.Conns), "-m", strconv.Itoa(p.Streams)}
	if p.BodyFile != "" {
		args = append(args, "-d", p.BodyFile)
	}
	for _, line := range p.Fields {
		args = append(args, "-H", line)
	}
	return append(args, s.URL(p.Path))
}
