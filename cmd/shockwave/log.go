package main

import (
	"log"
	"log/slog"
)

// newLogger returns a logger that writes a server's warnings and errors to con.err. Servers do not log errors of their
// clients.
func newLogger(con console) *slog.Logger {
	return slog.New(slog.NewTextHandler(con.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// newErrorLog returns the same as a log.Logger, for servers that log the way net/http does.
func newErrorLog(con console) *log.Logger { return log.New(con.err, "shockwave: ", log.LstdFlags) }
