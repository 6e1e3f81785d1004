// Package load runs the project's own load generator as a process and reads the figures that it prints.
package load

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Plan is one run of the load generator.
type Plan struct {
	Path     string
	Fields   []string // "Name: value"
	BodyFile string   // posted with every request; "" sends GET
	Conns    int
	HTTP3    bool
	Streams  int     // requests at once on each connection of HTTP/3; 0 means 1
	Pipeline int     // requests in flight on each connection of HTTP/1.1; 0 means 1
	Size     int     // bytes of each WebSocket text message; 0 means HTTP
	Rate     float64 // requests per second over all connections; 0 means as many as possible
	Requests int64   // the run ends after so many, and has no warm-up; 0 means that it ends after Duration
	Warmup   time.Duration
	Duration time.Duration
	Timeout  time.Duration // of a request; 0 means the load generator's default
	Cores    process.Cores
}

// args returns the arguments with which `shockwave bench` carries out the plan against s.
func (p *Plan) args(s *process.Server) []string {
	args := []string{"bench", "-json", "-", "-quiet", "-c", strconv.Itoa(p.Conns), "-pid", strconv.Itoa(s.PID)}
	if p.Requests > 0 {
		args = append(args, "-n", strconv.FormatInt(p.Requests, 10))
	} else {
		args = append(args, "-warmup", p.Warmup.String(), "-d", p.Duration.String())
	}
	add := func(given bool, flag, value string) {
		if given {
			args = append(args, flag, value)
		}
	}
	add(p.Timeout > 0, "-timeout", p.Timeout.String())
	add(p.Streams > 1, "-m", strconv.Itoa(p.Streams))
	add(p.Pipeline > 1, "-pipeline", strconv.Itoa(p.Pipeline))
	add(p.Rate > 0, "-rate", fmt.Sprintf("%.1f", p.Rate))
	add(p.BodyFile != "", "-body", p.BodyFile)
	for _, line := range p.Fields {
		add(true, "-H", line)
	}
	if p.Size > 0 {
		return append(args, "-text", "-size", strconv.Itoa(p.Size), "ws://"+s.Addr+p.Path)
	}
	args = append(args, "-same")
	if p.HTTP3 {
		args = append(args, "-h3")
	}
	if s.TLS {
		args = append(args, "-k")
	}
	return append(args, s.URL(p.Path))
}
