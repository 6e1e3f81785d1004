// Package load runs the project's own load generator as a process and reads its account.
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
	Pipeline int     // 0 is 1
	Size     int     // of the text messages of a WebSocket; 0 is HTTP
	Rate     float64 // per second over all connections; 0 is as many as possible
	Warmup   time.Duration
	Duration time.Duration
	Cores    process.Cores
}

// args are what `shockwave bench` is given to carry out the plan against s.
func (p *Plan) args(s *process.Server) []string {
	args := []string{"bench", "-json", "-", "-quiet", "-c", strconv.Itoa(p.Conns), "-pid", strconv.Itoa(s.PID),
		"-warmup", p.Warmup.String(), "-d", p.Duration.String()}
	add := func(given bool, flag, value string) {
		if given {
			args = append(args, flag, value)
		}
	}
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
	if s.TLS {
		args = append(args, "-k")
	}
	return append(args, s.URL(p.Path))
}
