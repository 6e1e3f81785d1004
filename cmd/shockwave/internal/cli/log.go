package cli

import (
	"log"
	"log/slog"
)

// NewLogger returns a logger that writes a server's warnings and errors to con.err. Servers do not log errors of their
// clients.
func NewLogger(con Console) *slog.Logger {
	return slog.New(slog.NewTextHandler(con.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// NewErrorLog returns the same as a log.Logger, for servers that log the way net/http does.
func NewErrorLog(con Console) *log.Logger { return log.New(con.Err, "shockwave: ", log.LstdFlags) }
