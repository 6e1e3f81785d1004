package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// Console holds the program's standard input, output and error.
type Console struct {
	In       io.Reader // nil: nothing is there to read
	Out, Err io.Writer
}

// Stdin returns the standard input.
func (con Console) Stdin() io.Reader {
	if con.In == nil {
		return strings.NewReader("")
	}
	return con.In
}

// Standard is the console of this process.
var Standard = Console{os.Stdin, os.Stdout, os.Stderr}

// UsageError is the error for a wrong command line; the program exits with code 2.
type UsageError string

// Error implements error.
func (e UsageError) Error() string { return string(e) }

// ExitCode prints err, if it is not nil, and returns the program's exit code.
func ExitCode(err error, con Console) int {
	var wrong UsageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(con.Err, "shockwave: %s\n", wrong)
		return 2
	default:
		fmt.Fprintf(con.Err, "shockwave: %v\n", err)
		return 1
	}
}
