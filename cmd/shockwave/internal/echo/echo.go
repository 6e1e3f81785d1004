package echo

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// Run serves the target of the conformance tests until a signal comes.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	return site.UntilStopped(opt, con)
}

// ServeOn implements site.Command. All limits are the server's defaults.
func (opt Options) ServeOn(s cli.Stop, at site.Site, con cli.Console) error {
	sec, err := certs.SelfSigned(opt.Secure())
	if err != nil {
		return err
	}
	ws := newWSEcho(opt, con)
	what, f := "echo, net/http handlers", newNetHTTPEcho(sec, ws, con)
	if opt.Native {
		what, f = "echo, native handlers", newNativeEcho(sec, ws, con)
	}
	site.Announce(con, what, at, sec)
	return site.Run(s, f, at, ws.cfg.Group)
}
