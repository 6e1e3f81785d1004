// Command shockwave is a set of network tools built on this module: a demonstration server, file server and reverse
// proxy; an HTTP client; message sockets, channels, TCP forwarding and a WebSocket gateway for the command line; a load
// generator; and an echo server for conformance tests. "shockwave help" lists the commands.
package main

import (
	"fmt"
	"os"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/doctor"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/echo"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/forward"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/gateway"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/get"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/mux"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/serve"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/socket"
)

const usage = `Shockwave serves HTTP and WebSocket, sends requests and messages, and measures servers.

	shockwave serve [-addr 127.0.0.1:8080] [-tls] [-h3=false] [-log FILE] [-bind URL] [-dir PATH | -proxy URL]
	        a page about the connection it is read over, and one that shows a socket live; or the files of a directory; or
	        another service; with -tls over HTTP/3, too
	shockwave get [-timeout 30s] [-c 1] [-h2 | -h3] [-k] URL...
	        requests each URL and prints a line of JSON: status, length and beginning of the body, milliseconds, or the error;
	        exit code 1 if one fails
	shockwave socket (-bind URL | -connect URL)... [-json] [-text] [-echo] ...
	        one socket for many peers over tcp, tls, ws and wss: a line of stdin goes to all of them, and received messages
	        are shown; with -json commands and events, for scripts
	shockwave gateway -listen ws[s]://HOST:PORT -to /PATH=tcp://HOST:PORT... [-raw] [-text] [-origin A,B] ...
	        connects WebSocket peers with services on tcp and tls, each over its own connection: a message there is a length
	        of four bytes and its payload, or with -raw bytes as they come
	shockwave mux (-listen URL | -connect URL) [-json] [-echo] [-resume-time 60s] ...
	        channels of messages over one TCP or TLS connection, and nothing is lost when that breaks; commands and events
	        with -json
	shockwave forward (-listen URL | -connect URL) [-L [HOST:]PORT=NAME] [-to NAME=HOST:PORT] ...
	        TCP ports that lead to services of the other end, through a session: connections outlive a broken line
	shockwave bench [-c 64] [-d 10s | -n N] [-pipeline 1] [-rate N] [-fail CONDITIONS] [-json FILE] [-html FILE] URL...
	        sends load and reports the rate, latency percentiles and errors
	shockwave bench {-h2 | -h3} [-m 1] … URL...
	        the same over HTTP/2 or HTTP/3, with as many streams at once on each connection
	shockwave bench [-size 64] [-one-way] [-text] [-deflate [-takeover]] [-prefixed] … {tcp|tls|ws|wss}://HOST:PORT ...
	        the same with messages of sockets and of WebSocket, each of which must come back as it was sent; several are
	        measured one after the other and compared
	shockwave bench compare [-fail CONDITIONS] A.json B.json
	        shows what has changed from one run to another, and what may be chance
	shockwave echo -addr HOST:PORT [-native] [-tls] [-h3] [-deflate] [-ws-callback]
	        answers every request with what it understood of it, and WebSocket messages with themselves: the target of
	        the conformance tests; with -h3 and without -tls over HTTP/3 alone
	shockwave doctor [-conns 10k] [-json]
	        shows which settings of this machine would hold a server back, and the commands that change them; changes
	        nothing; exit code 1 if there are any
	shockwave version
	shockwave help

"shockwave serve -h" explains the flags; so do the others.
An interrupt lets a server's requests in flight finish for up to 10 seconds, and has bench report what it has; a second
one ends the program at once.
`

// commands are the commands besides help and version. Each takes its arguments and returns when it is done.
var commands = map[string]func(args []string, con cli.Console) error{
	"serve":   serve.Run,
	"get":     get.Run,
	"socket":  socket.Run,
	"gateway": gateway.Run,
	"mux":     mux.Run,
	"forward": forward.Run,
	"bench":   bench.Run,
	"echo":    echo.Run,
	"doctor":  doctor.Run,
}

func main() {
	os.Exit(run(os.Args[1:], cli.Standard))
}

// run carries out one command line and returns the exit code: 0 for success, 1 for failure, 2 for bad usage.
func run(args []string, con cli.Console) int {
	if len(args) == 0 {
		fmt.Fprint(con.Err, usage)
		return 2
	}
	switch name, args := args[0], args[1:]; name {
	case "version", "-version", "--version":
		fmt.Fprintln(con.Out, cli.Version())
		return 0
	case "help", "-h", "-help", "--help":
		if name == "help" && len(args) > 0 { // "help serve" is "serve -h"
			return run([]string{args[0], "-h"}, con)
		}
		fmt.Fprint(con.Out, usage)
		return 0
	default:
		command := commands[name]
		if command == nil {
			fmt.Fprintf(con.Err, "shockwave: there is no command %q\n\n%s", name, usage)
			return 2
		}
		return cli.ExitCode(command(args, con), con)
	}
}
