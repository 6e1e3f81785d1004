package http1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

func haveStrace() error {
	if _, err := exec.LookPath("strace"); err != nil {
		return errors.New("strace is not installed")
	}
	return nil
}

// measureSyscalls counts a peer's system calls while it is loaded. Opening and closing the connections is counted too:
// it is little beside the requests.
func measureSyscalls(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	ctx, cancel := context.WithTimeout(ctx, b.Duration+time.Minute)
	defer cancel()
	t := traffic{path: textTraffic(64).path, conns: 64}
	p, err := t.plan(b)
	if err != nil {
		return nil, err
	}
	p.Warmup = 0
	counts := s.Path("syscalls")
	tracer := exec.CommandContext(ctx, "strace", "-c", "-f", "-p", strconv.Itoa(s.PID), "-o", counts)
	if err := tracer.Start(); err != nil {
		return nil, err
	}
	defer tracer.Wait()
	defer tracer.Process.Signal(os.Interrupt) // it writes its table and lets go
	if err := traced(ctx, s.PID); err != nil {
		return nil, err
	}
	a, err := b.Load.Run(ctx, s, p)
	if err != nil {
		return nil, err
	}
	tracer.Process.Signal(os.Interrupt)
	tracer.Wait()
	f, err := os.Open(counts)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return perKind(f, float64(a.Requests+a.Unanswered))
}

// traced waits until somebody traces the process.
func traced(ctx context.Context, pid int) error {
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return err
		}
		_, line, _ := strings.Cut(string(status), "\nTracerPid:")
		if tracer := strings.Fields(line); len(tracer) > 0 && tracer[0] != "0" {
			return nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("strace does not trace: %w", err)
		}
	}
}

// kinds are the system calls that move bytes and wait for them.
var kinds = map[string][]string{
	receiving.Key: {"read", "readv", "recvfrom", "recvmsg"},
	sending.Key:   {"write", "writev", "sendto", "sendmsg", "sendfile"},
	waiting.Key:   {"epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl"},
}

// perKind reads the table that strace wrote and divides its counts by the number of requests.
func perKind(r io.Reader, requests float64) (result.Values, error) {
	v := result.Values{syscalls.Key: 0, receiving.Key: 0, sending.Key: 0, waiting.Key: 0, others.Key: 0}
	for lines := bufio.NewScanner(r); lines.Scan(); {
		columns := strings.Fields(lines.Text()) // % time, seconds, usecs/call, calls, [errors,] name
		if len(columns) < 5 || columns[len(columns)-1] == "total" {
			continue
		}
		calls, err := strconv.ParseFloat(columns[3], 64)
		if err != nil {
			continue // a heading
		}
		v[syscalls.Key] += calls / requests
		v[kindOf(columns[len(columns)-1])] += calls / requests
	}
	if v[syscalls.Key] == 0 {
		return nil, errors.New("strace counted no system call")
	}
	return v, nil
}

func kindOf(call string) string {
	for kind, calls := range kinds {
		if slices.Contains(calls, call) {
			return kind
		}
	}
	return others.Key
}
