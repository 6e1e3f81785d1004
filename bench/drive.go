package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
)

// driveCommand runs a client of the suite sockets: it does one task and prints the figures as JSON.
func driveCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("drive", flag.ContinueOnError)
	name := set.String("peer", sockpeer.Recv, "which one: "+strings.Join(sockpeer.All, ", "))
	socket := set.String("socket", "tcp", "the `TRANSPORT`: "+strings.Join(sockpeer.Transports, ", "))
	addr := set.String("addr", "", "`HOST:PORT` of a server of the same kind")
	var t sockpeer.Task
	set.StringVar(&t.What, "task", sockpeer.OneWay, "oneway, lone (one echo after the other) or batch (64 at a time)")
	set.IntVar(&t.Size, "size", 64, "of a message, 8 bytes or more")
	set.DurationVar(&t.Duration, "d", time.Second, "for how long")
	if err := parse(set, args, con); err != nil {
		return err
	}
	if t.Size < 8 {
		return fmt.Errorf("the size must be 8 bytes or more; %w", errUsage)
	}
	if err := sockpeer.Check(*name, *socket); err != nil {
		return fmt.Errorf("%w; %w", err, errUsage)
	}
	program, err := sockpeer.Find(*name)
	if err == nil && program != "" {
		err = sockpeer.BecomeDriver(*name, *socket, *addr, t)
	}
	if err != nil {
		return err
	}
	a, err := sockpeer.Drive(*name, *socket, *addr, t)
	if err != nil {
		return err
	}
	return json.NewEncoder(con.out).Encode(a)
}
