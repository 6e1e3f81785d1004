package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/muxpeer"
)

// converseCommand runs a client of the suite channels: it does one task and prints the figures as JSON.
func converseCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("converse", flag.ContinueOnError)
	name := set.String("peer", muxpeer.Tcpmux, "which one")
	addr := set.String("addr", "", "`HOST:PORT` of a server of the same kind")
	var t muxpeer.Task
	set.StringVar(&t.What, "task", muxpeer.Echo, "echo, oneway, or idle: so many sessions of one channel are opened, and held until a line comes")
	set.IntVar(&t.Size, "size", 100, "of a message")
	set.IntVar(&t.Channels, "channels", 1, "of a session, at once; of idle the sessions")
	set.DurationVar(&t.Duration, "d", time.Second, "for how long")
	if err := parse(set, args, con); err != nil {
		return err
	}
	if t.Size < 1 || t.Size > muxpeer.Largest || t.Channels < 1 {
		return fmt.Errorf("the size must be 1 byte to 1 MiB; %w", errUsage)
	}
	if t.What == "idle" {
		return muxpeer.Hold(*name, *addr, t.Channels, func() error {
			fmt.Fprintln(con.out, "held")
			_, err := bufio.NewReader(con.in).ReadString('\n')
			return err
		})
	}
	a, err := muxpeer.Drive(*name, *addr, t)
	if err != nil {
		return err
	}
	return json.NewEncoder(con.out).Encode(a)
}
