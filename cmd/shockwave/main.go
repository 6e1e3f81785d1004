// Command shockwave is a set of network tools built on this module: a demonstration server, file server and reverse
// proxy; an HTTP client; message sockets, channels, TCP forwarding and a WebSocket gateway for the command line; a load
// generator; and an echo server for conformance tests. "shockwave help" lists the commands.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

const usage = `Shockwave serves HTTP and WebSocket, asks for what others serve, and measures how well others and itself do.

	shockwave serve [-addr 127.0.0.1:8080] [-tls] [-h3=false] [-log FILE] [-bind URL] [-dir PATH | -proxy URL]
	        a page about the connection it is read over, and one that shows a socket live; or the files of a directory; or
	        another service; with -tls over HTTP/3, too
	shockwave get [-timeout 30s] [-c 1] [-h2 | -h3] [-k] URL...
	        asks for each URL and prints a line of JSON: status, length and beginning of the body, milliseconds, or the error;
	        exit code 1 if one cannot be had
	shockwave socket (-bind URL | -connect URL)... [-json] [-text] [-echo] ...
	        one socket for many peers over tcp, tls, ws and wss: a line of stdin goes to all of them, and what they send is
	        shown; with -json commands and events, for scripts
	shockwave gateway -listen ws[s]://HOST:PORT -to /PATH=tcp://HOST:PORT... [-raw] [-text] [-origin A,B] ...
	        has WebSocket peers talk to services on tcp and tls, each over a connection of its own: a message is a length of
	        four bytes and its payload there, or with -raw bytes as they come
	shockwave mux (-listen URL | -connect URL) [-json] [-echo] [-resume-time 60s] ...
	        channels of messages over one TCP or TLS connection, and nothing is lost when that breaks; commands and events
	        with -json
	shockwave forward (-listen URL | -connect URL) [-L [HOST:]PORT=NAME] [-to NAME=HOST:PORT] ...
	        TCP ports that lead to services of the other end, through a session: connections outlive a broken line
	shockwave bench [-c 64] [-d 10s | -n N] [-pipeline 1] [-rate N] [-fail CONDITIONS] [-json FILE] [-html FILE] URL...
	        drives load and reports the rate, latency percentiles and what went wrong
	shockwave bench {-h2 | -h3} [-m 1] … URL...
	        the same over HTTP/2 or HTTP/3, with as many streams at once on each connection
	shockwave bench [-size 64] [-one-way] [-text] [-deflate [-takeover]] [-prefixed] … {tcp|tls|ws|wss}://HOST:PORT ...
	        the same with messages of sockets and of WebSocket, each of which must come back as it was sent; several are
	        measured one after the other and compared
	shockwave bench compare [-fail CONDITIONS] A.json B.json
	        says what has changed from one run to another, and what of it may be chance
	shockwave echo -addr HOST:PORT [-native] [-tls] [-h3] [-deflate] [-ws-callback]
	        answers every request with what it understood of it, and WebSocket messages with themselves: the target of
	        the conformance tests; with -h3 and without -tls over HTTP/3 alone
	shockwave doctor [-conns 10k] [-json]
	        says which settings of this machine would hold a server back, and the commands that mend them; changes nothing;
	        exit code 1 if there are any
	shockwave version
	shockwave help

"shockwave serve -h" explains the flags; so do the others.
An interrupt lets a server's requests in flight finish for up to 10 seconds, and has bench report what it has; a second
one ends the program at once.
`

// console holds the program's standard input, output and error.
type console struct {
	in       io.Reader // nil: nothing is there to read
	out, err io.Writer
}

// stdin returns the standard input.
func (con console) stdin() io.Reader {
	if con.in == nil {
		return strings.NewReader("")
	}
	return con.in
}

// standard is the console of this process.
var standard = console{os.Stdin, os.Stdout, os.Stderr}

// usageError is the error for a wrong command line; the program exits with code 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// commands are the commands besides help and version. Each takes its arguments and returns when it is done.
var commands = map[string]func(args []string, con console) error{
	"serve":   serve,
	"get":     get,
	"socket":  socket,
	"gateway": runGateway,
	"mux":     mux,
	"forward": forward,
	"bench":   bench,
	"echo":    echo,
	"doctor":  doctor,
}

func main() {
	os.Exit(run(os.Args[1:], standard))
}

// run carries out one command line and returns the exit code: 0 for success, 1 for failure, 2 for bad usage.
func run(args []string, con console) int {
	if len(args) == 0 {
		fmt.Fprint(con.err, usage)
		return 2
	}
	switch name, args := args[0], args[1:]; name {
	case "version", "-version", "--version":
		fmt.Fprintln(con.out, version())
		return 0
	case "help", "-h", "-help", "--help":
		if name == "help" && len(args) > 0 { // "help serve" is "serve -h"
			return run([]string{args[0], "-h"}, con)
		}
		fmt.Fprint(con.out, usage)
		return 0
	default:
		command := commands[name]
		if command == nil {
			fmt.Fprintf(con.err, "shockwave: there is no command %q\n\n%s", name, usage)
			return 2
		}
		return exitCode(command(args, con), con)
	}
}

// exitCode prints err, if it is not nil, and returns the program's exit code.
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

// parseLeading parses the flags at the beginning of args. Errors of the flag package are not printed here but by
// exitCode.
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

// version returns the module's version, the commit it was built from if known, the Go version and the platform.
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
