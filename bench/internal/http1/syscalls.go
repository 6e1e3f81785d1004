package http1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
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

// measureSyscalls counts a peer's system calls while open connections send it requests, one at a time each. The tracer
// attaches before the first counted request and detaches after the last response, so that it sees exactly these requests.
func measureSyscalls(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	ctx, cancel := context.WithTimeout(ctx, b.Duration+time.Minute)
	defer cancel()
	t := textTraffic(64)
	x := t.exchange()
	conns, err := frame.Open(s.Addr, s.TLS, t.conns, &x)
	if err != nil {
		return nil, err
	}
	defer conns.Close()
	if _, err := repeatFor(ctx, conns, &x, warmup(b.Duration)); err != nil {
		return nil, err
	}
	var answered int64
	table, err := underStrace(ctx, s, func() (err error) {
		answered, err = repeatFor(ctx, conns, &x, b.Duration)
		return err
	})
	if err != nil {
		return nil, err
	}
	return perKind(bytes.NewReader(table), float64(answered))
}

// underStrace calls work and returns strace's table of the system calls that s makes meanwhile.
func underStrace(ctx context.Context, s *process.Server, work func() error) (table []byte, err error) {
	file := s.Path("syscalls")
	tracer := exec.CommandContext(ctx, "strace", "-c", "-f", "-p", strconv.Itoa(s.PID), "-o", file)
	if err := tracer.Start(); err != nil {
		return nil, err
	}
	err = waitTraced(ctx, s.PID)
	if err == nil {
		err = work()
	}
	tracer.Process.Signal(os.Interrupt) // strace writes its table, detaches, and exits with an error status
	tracer.Wait()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// repeatFor repeats the exchange on all connections concurrently for d. It returns the number of responses, which is that of the
// requests.
func repeatFor(ctx context.Context, conns frame.Conns, x *frame.Exchange, d time.Duration) (answered int64, err error) {
	var total atomic.Int64
	failed := make(chan error, len(conns))
	end := time.Now().Add(d)
	for _, c := range conns {
		go func() {
			var err error
			for err == nil && time.Now().Before(end) {
				if err = repeat(ctx, c, x, 1); err == nil {
					total.Add(1)
				}
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		err = errors.Join(err, <-failed)
	}
	return total.Load(), err
}

// waitTraced waits until the process has a tracer.
func waitTraced(ctx context.Context, pid int) error {
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return err
		}
		_, line, _ := strings.Cut(string(status), "\nTracerPid:")
		if tracer := strings.Fields(line); len(tracer) > 0 && tracer[0] != "0" {
			return nil
		}
		if err := process.Sleep(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("strace does not trace: %w", err)
		}
	}
}

// kinds are the system calls that move bytes or wait for them, by metric.
var kinds = map[string][]string{
	receiving.Key: {"read", "readv", "recvfrom", "recvmsg"},
	sending.Key:   {"write", "writev", "sendto", "sendmsg", "sendfile"},
	waiting.Key:   {"epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl"},
}

// perKind parses strace's table and divides its counts by the number of requests.
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
