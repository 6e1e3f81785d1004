package main

import (
	"log"
	"log/slog"
)

// newLogger writes what a server finds wrong with itself, not with its clients, to the console's error side.
func newLogger(con console) *slog.Logger {
	return slog.New(slog.NewTextHandler(con.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// newErrorLog is newLogger for a server that logs as net/http does.
func newErrorLog(con console) *log.Logger { return log.New(con.err, "shockwave: ", log.LstdFlags) }
