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
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/farlink"
	"github.com/shockwave-go/shockwave/bench/internal/muxpeer"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
)

// farCommand measures peers of the suites sockets and channels over a simulated network that is slow and loses packets.
func farCommand(ctx context.Context, args []string, con console) error {
	set := flag.NewFlagSet("far", flag.ContinueOnError)
	conditions := networkFlags(set)
	peers := set.String("peers", sockpeer.Recv+","+sockpeer.Net, "which ones, with commas")
	var t muxpeer.Task
	set.StringVar(&t.What, "task", muxpeer.OneWay, "oneway, or echo")
	set.IntVar(&t.Size, "size", 64<<10, "of a message")
	set.IntVar(&t.Channels, "channels", 1, "how many at once, for peers of the suite channels")
	set.DurationVar(&t.Duration, "d", 3*time.Second, "for how long")
	if err := parse(set, args, con); err != nil {
		return err
	}
	names := strings.Split(*peers, ",")
	for _, name := range names {
		if muxpeer.Known(name) {
			continue
		}
		if err := sockpeer.Check(name, "tcp"); err != nil {
			return fmt.Errorf("%w; %w", err, errUsage)
		}
		if sockpeer.IsProgram(name) {
			return fmt.Errorf("%s is only measured on one host; %w", name, errUsage)
		}
	}
	link, err := farlink.Open(*conditions)
	if err != nil {
		return err
	}
	defer link.Close()
	for _, name := range names {
		out, err := across(ctx, name, t)
		if err == nil {
			err = printFar(con.out, name, t, conditions, out)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// lineCommand opens a simulated network for other programs, and prints how to run something at either end.
func lineCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("line", flag.ContinueOnError)
	conditions := networkFlags(set)
	if err := parse(set, args, con); err != nil {
		return err
	}
	link, err := farlink.Open(*conditions)
	if err != nil {
		return err
	}
	defer link.Close()
	fmt.Fprintln(con.out, farlink.NearSpace, farlink.FarSpace, farlink.FarAddr, farlink.Device)
	_, err = bufio.NewReader(con.in).ReadString('\n')
	if err == io.EOF {
		err = nil
	}
	return err
}

// networkFlags defines the flags that describe a network.
func networkFlags(set *flag.FlagSet) *farlink.Conditions {
	c := new(farlink.Conditions)
	set.DurationVar(&c.Delay, "delay", 10*time.Millisecond, "that each packet takes, one way")
	set.Float64Var(&c.Loss, "loss", 0, "share of the packets that are lost, 0 to 1")
	set.IntVar(&c.MTU, "mtu", 9000, "bytes in a packet")
	return c
}

// printFar prints the figures in a client's output.
func printFar(w io.Writer, name string, t muxpeer.Task, c *farlink.Conditions, out []byte) error {
	if muxpeer.Known(name) {
		var a muxpeer.Account
		if err := json.Unmarshal(out, &a); err != nil {
			return err
		}
		fmt.Fprintf(w, "%-13s %8.1f messages/s, %8.2f MB/s", name, a.Rate, a.Rate*float64(t.Size)/1e6)
		if t.What == muxpeer.Echo {
			fmt.Fprintf(w, ", p50 %.1f ms, p99 %.1f ms", a.P50/1e3, a.P99/1e3)
		}
		fmt.Fprintf(w, ", there and back %v, loss %g %%\n", 2*c.Delay, c.Loss*100)
		return nil
	}
	var a sockpeer.Account
	if err := json.Unmarshal(out, &a); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-13s %8.1f MB/s, there and back %v, loss %g %%", name, a.Rate*float64(t.Size)/1e6, 2*c.Delay, c.Loss*100)
	if a.Window != nil {
		fmt.Fprintf(w, ", window %d (0: the system's)", *a.Window)
	}
	fmt.Fprintln(w)
	return nil
}

// across runs a client at the near end of the network, against a server of the same kind at the far end. It returns the
// client's output.
func across(ctx context.Context, name string, t muxpeer.Task) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	serve, ask := []string{"-socket", "tcp"}, []string{"drive", "-socket", "tcp"}
	if muxpeer.Known(name) {
		serve, ask = []string{"-mux"}, []string{"converse", "-channels", strconv.Itoa(t.Channels)}
	}
	ctx, cancel := context.WithTimeout(ctx, t.Duration+2*time.Minute)
	defer cancel()
	in := func(space string, args ...string) *exec.Cmd {
		return exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", space, self}, args...)...)
	}
	server := in(farlink.FarSpace, append([]string{"serve", "-peer", name, "-addr", farlink.FarAddr + ":0"}, serve...)...)
	stdin, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	stdout, err := server.StdoutPipe()
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
	addr, err := bufio.NewReader(io.LimitReader(stdout, 100)).ReadString('\n')
	if err != nil {
		return nil, err
	}
	client := in(farlink.NearSpace, append(ask, "-peer", name, "-addr", strings.TrimSpace(addr), "-task", t.What,
		"-size", strconv.Itoa(t.Size), "-d", t.Duration.String())...)
	client.Stderr = os.Stderr
	return client.Output()
}
