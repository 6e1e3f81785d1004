// Command shockwave shows the module at work: it serves a page about the connection it is read over, a directory or
// another service, drives load at any HTTP or WebSocket server, and echoes requests and messages for conformance tests.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

const usage = `Shockwave serves HTTP and WebSocket, and measures how well others and itself do.

	shockwave serve [-addr 127.0.0.1:8080] [-tls] [-log FILE] [-dir PATH | -proxy URL]
	        a page about the connection it is read over; or the files of a directory; or another service
	shockwave bench [-c 64] [-d 10s | -n N] [-pipeline 1] [-rate N] [-fail CONDITIONS] [-json FILE] [-html FILE] URL...
	        drives load and reports the rate, latency percentiles and what went wrong
	shockwave bench -h2 [-m 1] … URL...
	        the same over HTTP/2, with as many streams at once on each connection
	shockwave bench [-size 64] [-text] [-deflate [-takeover]] … ws://HOST:PORT/
	        the same with WebSocket messages, each of which must come back as it was sent
	shockwave bench compare [-fail CONDITIONS] A.json B.json
	        says what has changed from one run to another, and what of it may be chance
	shockwave echo -addr HOST:PORT [-native] [-tls] [-deflate] [-ws-callback]
	        answers every request with what it understood of it, and WebSocket messages with themselves: the target of
	        the conformance tests
	shockwave version
	shockwave help

"shockwave serve -h" explains the flags; so do the others.
An interrupt lets a server's requests in flight finish for up to 10 seconds, and has bench report what it has; a second
one ends the program at once.
`

// console is where the program talks to its user.
type console struct{ out, err io.Writer }

// usageError is a command line that was not understood: exit code 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func main() {
	os.Exit(run(os.Args[1:], console{os.Stdout, os.Stderr}))
}

// run carries out one command line and returns the exit code: 0 for success, 1 for failure, 2 for bad usage.
func run(args []string, con console) int {
	if len(args) == 0 {
		fmt.Fprint(con.err, usage)
		return 2
	}
	switch name, args := args[0], args[1:]; name {
	case "serve":
		return exitCode(serve(args, con), con)
	case "bench":
		return exitCode(bench(args, con), con)
	case "echo":
		return exitCode(echo(args, con), con)
	case "version", "-version", "--version":
		fmt.Fprintln(con.out, version())
		return 0
	case "help", "-h", "-help", "--help":
		fmt.Fprint(con.out, usage)
		return 0
	default:
		fmt.Fprintf(con.err, "shockwave: there is no command %q\n\n%s", name, usage)
		return 2
	}
}

// exitCode reports err, if there is one, and says how the program ends.
func exitCode(err error, con console) int {
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(con.err, "shockwave: %s\n", wrong.text)
		return 2
	default:
		fmt.Fprintf(con.err, "shockwave: %v\n", err)
		return 1
	}
}

// parseFlags parses args, which must all be flags.
func parseFlags(set *flag.FlagSet, args []string, con console) error {
	if err := parseLeading(set, args, con); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return usageError{fmt.Sprintf("%s: unexpected argument %q", set.Name(), set.Arg(0))}
	}
	return nil
}

// parseLeading parses the flags that args begin with. The flag package's own complaint is shown once, by exitCode.
func parseLeading(set *flag.FlagSet, args []string, con console) error {
	set.SetOutput(io.Discard)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(con.out)
		fmt.Fprintf(con.out, "shockwave %s:\n", set.Name())
		set.PrintDefaults()
		return err
	case err != nil:
		return usageError{fmt.Sprintf("%s: %v", set.Name(), err)}
	}
	return nil
}

// version names the module's version, the commit it was built from if that is known, and the toolchain.
func version() string {
	text, commit := "shockwave (devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" {
			text = "shockwave " + v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("%s%s %s %s/%s", text, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
