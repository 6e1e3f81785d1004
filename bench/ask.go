package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
)

// askCommand runs a client that carries out the tasks it reads from standard input.
func askCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("ask", flag.ContinueOnError)
	name := set.String("peer", clientpeer.Client, "which one: "+strings.Join(clientpeer.All, ", "))
	dir := set.String("dir", "", "nginx: the directory for its files; it must exist")
	if err := parse(set, args, con); err != nil {
		return err
	}
	if !clientpeer.Known(*name) {
		return fmt.Errorf("unknown client %q; %w", *name, errUsage)
	}
	return clientpeer.Obey(*name, *dir, con.in, con.out)
}
