package main

import (
	"context"

	"github.com/shockwave-go/shockwave/bench/internal/http1"
)

// http1Command measures HTTP/1.1 servers.
func http1Command(ctx context.Context, args []string, con console) error {
	opt, err := parseMeasure("http1", args, con)
	if err != nil {
		return err
	}
	return measure(ctx, http1.Suite(), opt, con)
}
