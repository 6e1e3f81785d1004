package cli

import (
	"errors"
	"io"
	"os"
)

// WriteTo calls write with the named file, created or truncated; "-" is standard output.
func WriteTo(name string, out io.Writer, write func(io.Writer) error) error {
	if name == "-" {
		return write(out)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
