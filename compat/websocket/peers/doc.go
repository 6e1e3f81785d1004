// Package peers tests package websocket against other implementations: the libraries of gorilla and coder, the packages
// websockets (Python) and ws (Node.js), the client of the JDK, and Chromium. Each conversation has text, 70 KB of binary,
// fragments, pings and close codes of both sides, and compression if the peer supports it. Peers that are not installed are
// skipped.
package peers
