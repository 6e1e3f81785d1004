// Command bench measures this module's servers and clients beside others, each in a process of its own, and writes the
// figures into the repository's pages. README.md explains how to run it and how to read its output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `Bench measures servers and clients beside each other. It takes Linux and two cores with nothing else to do.

	go run . http1 [-rounds 5] [-d 3s] [-only REGEXP] [-peers LIST] [-json FILE] [-markdown] [-list]
	        measures HTTP/1.1 servers; -list says what, and how long it takes
	go run . http2 …
	        measures HTTP/2 servers; the same flags
	go run . http3 …
	        measures HTTP/3 servers; the same flags
	go run . websocket …
	        measures WebSocket servers; the same flags
	go run . client …
	        measures HTTP clients and reverse proxies; the same flags
	go run . sockets …
	        measures package streamsock beside others; the same flags
	go run . channels …
	        measures package tcpmux beside others; the same flags
	go run . report -json FILE [-from FILE,…] [-markdown]
	        prints what was measured earlier, merges files, and rewrites the pages
	go run . serve -peer NAME [-tls] [-http2 | -http3 | -socket TRANSPORT] [-addr HOST:PORT]
	        runs one of the servers that are measured, until its standard input ends
	go run . ask -peer NAME
	        runs one of the clients that are measured; each line on its standard input is a task
	go run . converse -peer NAME -addr HOST:PORT [-task echo|oneway|idle] [-size 100] [-channels 1] [-d 1s]
	        runs a client of the suite channels against a server of the same kind; it prints JSON
	go run . drive -peer NAME -socket TRANSPORT -addr HOST:PORT [-task oneway] [-size 64] [-d 1s]
	        runs a client of the suite sockets against a server of the same kind; it prints JSON
	go run . far [-delay 10ms] [-loss 0.01] [-peers recv,net] [-task oneway|echo] [-size 65536] [-channels 1] [-d 3s]
	        measures peers of the suites sockets and channels over a simulated network; it takes root
	go run . line [-delay 10ms] [-loss 0.01] [-mtu 9000]
	        opens such a network for other programs, prints its two namespaces, the far address and the device, and
	        closes it when its standard input ends; it takes root
	go run . hold -addr HOST:PORT -conns N -path PATH [-tls] [-http2 | -http3 | -websocket | -socket tcp|ws]
	        holds connections open; each line on its standard input makes it use them again
	go run . load -addr HOST:PORT -pid PID -kind deflate|broadcast|neighbours|mixed|told|trickle|handshakes [-c N] [-d 3s]
	        makes kinds of load that shockwave bench has no flags for; it prints the same JSON
	go run . memory -peer NAME -task NAME [-d 1s]
	        measures one thing without I/O, and prints JSON
`

// console is the program's standard input, output and error, as passed to a command.
type console struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], console{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// commands are the subcommands. A new suite is added here and in suites.go.
var commands = map[string]func(ctx context.Context, args []string, con console) error{
	"http1":     measureCommand(suites["http1"]),
	"http2":     measureCommand(suites["http2"]),
	"http3":     measureCommand(suites["http3"]),
	"websocket": measureCommand(suites["websocket"]),
	"client":    measureCommand(suites["client"]),
	"sockets":   measureCommand(suites["sockets"]),
	"report":    reportCommand,
	"serve":     serveCommand,
	"ask":       askCommand,
	"drive":     driveCommand,
	"far":       farCommand,
	"line":      lineCommand,
	"channels":  measureCommand(suites["channels"]),
	"converse":  converseCommand,
	"hold":      holdCommand,
	"load":      loadCommand,
	"memory":    memoryCommand,
}

// errUsage means that the command line is wrong.
var errUsage = errors.New("see: go run . help")

// run carries out one command line and returns the exit code: 0 for success, 1 for failure, 2 for bad usage.
func run(ctx context.Context, args []string, con console) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" {
		fmt.Fprint(con.out, usage)
		return 0
	}
	command := commands[args[0]]
	if command == nil {
		fmt.Fprintf(con.err, "bench: there is no command %q\n\n%s", args[0], usage)
		return 2
	}
	switch err := command(ctx, args[1:], con); {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(con.err, "bench:", err)
		return 2
	default:
		fmt.Fprintln(con.err, "bench:", err)
		return 1
	}
}

// parse parses args, which must all be flags.
func parse(set *flag.FlagSet, args []string, con console) error {
	set.SetOutput(con.err)
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if set.NArg() > 0 {
		return fmt.Errorf("unexpected %q; %w", set.Arg(0), errUsage)
	}
	return nil
}
