package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/farlink"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
)

// farCommand measures messages one way over a network that is as far as it is told to be, for peers in Go.
func farCommand(ctx context.Context, args []string, con console) error {
	set := flag.NewFlagSet("far", flag.ContinueOnError)
	delay := set.Duration("delay", 10*time.Millisecond, "that each packet takes, one way")
	peers := set.String("peers", sockpeer.Recv+","+sockpeer.Net, "which ones, with commas")
	size := set.Int("size", 64<<10, "of a message")
	d := set.Duration("d", 3*time.Second, "for how long")
	if err := parse(set, args, con); err != nil {
		return err
	}
	for _, name := range strings.Split(*peers, ",") {
		if err := sockpeer.Check(name, "tcp"); err != nil {
			return fmt.Errorf("%w; %w", err, errUsage)
		}
		if sockpeer.IsProgram(name) {
			return fmt.Errorf("%s is only measured on one host; %w", name, errUsage)
		}
	}
	link, err := farlink.Open(*delay)
	if err != nil {
		return err
	}
	defer link.Close()
	for _, name := range strings.Split(*peers, ",") {
		a, err := across(ctx, name, *size, *d)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(con.out, "%-9s %8.1f MB/s, there and back %v", name, a.Rate*float64(*size)/1e6, 2**delay)
		if a.Window != nil {
			fmt.Fprintf(con.out, ", window %d (0: the system's)", *a.Window)
		}
		fmt.Fprintln(con.out)
	}
	return nil
}

// across has a peer at the near end send to its like at the far one.
func across(ctx context.Context, name string, size int, d time.Duration) (*sockpeer.Account, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d+time.Minute)
	defer cancel()
	server := exec.CommandContext(ctx, "ip", "netns", "exec", farlink.FarSpace, self, "serve", "-peer", name, "-socket", "tcp",
		"-addr", farlink.FarAddr+":0")
	stdin, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	said, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	addr, err := bufio.NewReader(io.LimitReader(said, 100)).ReadString('\n')
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "ip", "netns", "exec", farlink.NearSpace, self, "drive", "-peer", name, "-socket", "tcp",
		"-addr", strings.TrimSpace(addr), "-size", fmt.Sprint(size), "-d", d.String()).Output()
	if err != nil {
		return nil, err
	}
	a := new(sockpeer.Account)
	return a, json.Unmarshal(out, a)
}
