package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"time"
)

// echoLines serves a hijacked connection: it sends a 101 response, and then echoes every line until the client closes the
// connection.
func echoLines(nc net.Conn, rw *bufio.ReadWriter, a ask) {
	defer nc.Close()
	io.WriteString(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: lines\r\n")
	fmt.Fprintf(rw, "X-Number: %d\r\n\r\n", a.number)
	for rw.Flush() == nil {
		nc.SetDeadline(time.Now().Add(ioTimeout))
		line, err := rw.ReadString('\n')
		if err != nil {
			return
		}
		rw.WriteString(line)
	}
}
