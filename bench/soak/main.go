// Command soak runs servers for a long time under a mix of well-behaved and misbehaving clients, and checks that they leak
// nothing.
//
// The servers run in a process of their own: one with native handlers, one with net/http handlers on a native server, and a
// nethttp.Server, each in cleartext and over TLS. The kinds of clients are listed in kinds.go; they check every byte of
// every response. A line is printed every ten seconds. At the end the load stops, and the numbers of goroutines and
// descriptors and the memory in use must be back where they began. Then, in several rounds, the servers are shut down
// under full load: every request whose handler began must have got a whole response.
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

// servingVariable is set in the environment of the server process.
const servingVariable = "SOAK_SERVE"

func main() {
	if os.Getenv(servingVariable) != "" {
		signal.Ignore(os.Interrupt) // a terminal sends it to this process, too, but the clients must end first
		exit(runServer(os.Stdin, os.Stdout))
	}
	s := soak{out: os.Stdout, loop: os.Getenv("SHOCKWAVE_LOOP")}
	flag.DurationVar(&s.lasts, "for", time.Hour, "how long the mix runs")
	flag.IntVar(&s.rate, "rate", 1500, "requests per second, each 64 KiB of a large body counted as one more; 0: no limit")
	flag.IntVar(&s.rounds, "rounds", 6, "how many times the servers are shut down under load")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "seed of the clients' random numbers")
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
