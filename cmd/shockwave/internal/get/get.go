package get

import (
	"fmt"
	"sync"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// Run requests the URLs and prints a line of JSON for each, in the order of the command line. It returns an error if a
// request fails.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	var g getter
	if opt.http3 {
		g = newHTTP3Getter(&opt)
	} else {
		g = clientGetter{client.New(opt.config())}
	}
	defer g.close()
	return getAll(g, opt, con)
}

// getAll requests the URLs with opt.conns goroutines. It prints the results in the order of the URLs.
func getAll(g getter, opt options, con cli.Console) error {
	n := min(int(opt.conns), len(opt.urls))
	lines := make([]chan fetched, len(opt.urls))
	next := make(chan int, len(opt.urls))
	for i := range lines {
		lines[i] = make(chan fetched, 1)
		next <- i
	}
	close(next)
	var asking sync.WaitGroup
	defer asking.Wait()
	for range n {
		asking.Go(func() {
			piece := make([]byte, pieceSize)
			for i := range next {
				lines[i] <- fetch(g, opt.urls[i], piece)
			}
		})
	}
	failed := 0
	for _, line := range lines {
		f := <-line
		if f.Error != "" {
			failed++
		}
		if err := f.print(con.Out); err != nil {
			for range next { // drop the remaining URLs: the output cannot be written
			}
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d URLs failed", failed, len(lines))
	}
	return nil
}
