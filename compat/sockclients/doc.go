// Package sockclients tests the reference clients in the folder clients against package streamsock and against the test
// vectors of its wire format. Tests are skipped if they need a program that is not installed: gcc, python3, node, a browser, or
// the Python package pyzmq.
//
// Each client has a driver in testdata, which plays one job after the other. A job is "FLAGS,MAX,URL": the client connects
// to URL, accepts messages of at most MAX bytes, and prints a line for each event:
//
//	message KIND LENGTH HASH             a message; the hash is FNV-1a of 32 bits
//	end REASON CODE LENGTH TEXT          the connection has ended; the last line. A space is "_", an empty text is "-"
//	failed                               the connection could not be opened; the last line
//
// The flags are p for prefixed framing, t for text, e to echo every message instead of printing it, and r, for the
// JavaScript client only, to reconnect. Some messages are commands: "do:close CODE TEXT" closes, "do:send N" sends a message
// of N bytes, "do:text TEXT" sends text.
package sockclients
