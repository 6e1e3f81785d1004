// Package sockclients has the reference clients of the folder clients talk to package streamsock, and read the test vectors of
// its wire. What a machine does not have is skipped: gcc, python3, node, a browser, the Python package pyzmq.
//
// Each client has a driver in testdata, which plays one job after the other. A job is "FLAGS,MAX,URL": the client connects
// to URL, takes messages of at most MAX bytes, and what comes is told on the standard output:
//
//	message KIND LENGTH HASH             a message; the hash is FNV-1a of 32 bits
//	end REASON CODE LENGTH TEXT          the end, which is the last line; spaces are underlines, nothing is "-"
//	failed                               the end as well: there was no connection
//
// The flags are p for prefixed framing, t for text, e to send every message back and not to tell of it, and r, of the
// JavaScript client, to connect again. Some messages are commands: "do:close CODE TEXT" closes, "do:send N" sends a message
// of N bytes, "do:text TEXT" sends text.
package sockclients
