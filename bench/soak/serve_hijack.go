package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"time"
)

// echoLines is what becomes of a connection that a handler took over: it says so, and sends every line back until the
// client leaves.
func echoLines(nc net.Conn, rw *bufio.ReadWriter, a ask) {
	defer nc.Close()
	io.WriteString(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: lines\r\n")
	fmt.Fprintf(rw, "X-Number: %d\r\n\r\n", a.number)
	for rw.Flush() == nil {
		nc.SetDeadline(time.Now().Add(patience))
		line, err := rw.ReadString('\n')
		if err != nil {
			return
		}
		rw.WriteString(line)
	}
}
