package cli

import (
	"io"
	"os"
)

// OnTerminal reports whether w is a terminal that understands escape sequences.
func OnTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
