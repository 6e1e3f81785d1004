// Command soak lets a server work for long under everything that clients do, good and bad, all at once, and shows that
// nothing of it is left behind.
//
// The server is a process of its own: native handlers, the net/http face, and net/http handlers on a native server,
// each in cleartext and over TLS. The mix of clients is in kinds.go; they check every byte of every answer. A line is
// printed every ten seconds. At the end all load stops, and goroutines, descriptors and memory must be back where they
// began. Then, in several rounds, the servers are shut down under full load: every request whose handler began must
// have been answered whole.
//
// Usage: soak [-for 1h] [-rate N] [-rounds N] [-seed N]
//
// SHOCKWAVE_LOOP=plain in the environment soaks the plain serve loop. It needs Linux's /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// servingVariable is set in the environment of the process that serves.
const servingVariable = "SOAK_SERVE"

func main() {
	if os.Getenv(servingVariable) != "" {
		signal.Ignore(os.Interrupt) // a terminal sends it to us, too: the clients end first
		exit(beServer(os.Stdin, os.Stdout))
	}
	s := soak{out: os.Stdout, loop: os.Getenv("SHOCKWAVE_LOOP")}
	flag.DurationVar(&s.lasts, "for", time.Hour, "how long the mix runs")
	flag.IntVar(&s.rate, "rate", 1500, "requests per second, each 64 KiB of a large body counted as one more; 0: no limit")
	flag.IntVar(&s.rounds, "rounds", 6, "how many times the servers are shut down under load")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "where the clients' dice start")
	flag.DurationVar(&s.every, "every", 10*time.Second, "how often a line is printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(s.run(ctx))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
