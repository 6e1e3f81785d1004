package doctor

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// options holds the parsed command line of doctor.
type options struct {
	conns cli.Count // connections that are wanted
	json  bool
}

// help is printed after the flags.
const help = `
A line for each check: ok, low or unknown, the name, and the value found. Below what is low stand the reason and what mends it;
below what is unknown the reason. docs/tuning.md explains each check. Nothing is changed.

What a process inherits (descriptors, cgroup, GOMAXPROCS, GOMEMLIMIT) is that of this command: run it where the server runs, with
its environment.

Exit codes: 0 if nothing is low; 1 if something is; 2 if the command line is wrong.
`

// Run prints what of this machine would hold a server back. It returns an error if something is low.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	return examine(&machine{os.DirFS("/"), thisProcess, uint64(opt.conns)}, opt.json, con.Out)
}

func parse(args []string, con cli.Console) (opt options, err error) {
	opt.conns = 10_000
	set := flag.NewFlagSet("doctor", flag.ContinueOnError)
	set.Var(&opt.conns, "conns", "judge descriptors, memory, queues and ports by `N` connections at once; N may end in k for thousands")
	set.BoolVar(&opt.json, "json", false, "print an array of JSON objects: name, value, verdict, reason, fix")
	err = cli.ParseFlags(set, args, con)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(con.Out, help)
	}
	if err == nil && opt.conns < 1 {
		err = cli.UsageError("doctor: -conns wants at least 1")
	}
	return opt, err
}

// examine writes the report about m.
func examine(m *machine, asJSON bool, w io.Writer) error {
	found := m.diagnose()
	write := writeDiagnoses
	if asJSON {
		write = writeDiagnosesJSON
	}
	if err := write(w, found); err != nil {
		return err
	}
	low := 0
	for _, d := range found {
		if d.Verdict == isLow {
			low++
		}
	}
	if low > 0 {
		return fmt.Errorf("%d of %d checks are low", low, len(found))
	}
	return nil
}

func writeDiagnosesJSON(w io.Writer, found []diagnosis) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // a fix may contain >
	e.SetIndent("", "  ")
	return e.Encode(found)
}
