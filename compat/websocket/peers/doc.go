// Package peers has package websocket talk to other people's: gorilla's and coder's libraries, the packages websockets
// (Python) and ws (Node.js), the client of the JDK, and Chromium. Each conversation has text, 70 KB of binary,
// fragments, pings and close codes of both sides, and compression where the peer has it. What a machine does not have
// is skipped.
package peers
