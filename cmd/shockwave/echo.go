package main

// echo serves the target of the conformance tests until a signal comes.
func echo(args []string, con console) error {
	opt, err := parseEcho(args, con)
	if err != nil {
		return err
	}
	return untilStopped(opt.siteOptions, con, func(s stop, at site) error { return echoOn(s, at, opt, con) })
}

// echoOn serves the target of the conformance tests until a signal comes. All limits are the server's defaults.
func echoOn(s stop, at site, opt echoOptions, con console) error {
	sec, err := selfSignedTLS(opt.secure())
	if err != nil {
		return err
	}
	ws := newWSEcho(opt, con)
	what, f := "echo, net/http handlers", newNetHTTPEcho(sec, ws, con)
	if opt.native {
		what, f = "echo, native handlers", newNativeEcho(sec, ws, con)
	}
	announce(con, what, at, sec)
	return runServer(s, &webSocketServer{f, ws.cfg.Group}, at)
}
