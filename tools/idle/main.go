// Command idle measures what a connection costs the server while nothing happens on it.
//
// It starts a server as a process of its own, opens connections to it, sends one request on each, waits until the
// server has put them aside, and prints by how much the server's memory grew for each. At the end every connection
// answers once more.
//
// Usage: idle [-conns N] [-wait TIME] [-net-http]
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

func main() {
	conns := flag.Int("conns", 10000, "how many connections")
	wait := flag.Duration("wait", 70*time.Second, "how long they stay idle")
	netHTTP := flag.Bool("net-http", false, "serve the net/http face instead of native handlers")
	serve := flag.Bool("serve", false, "be the server that is measured")
	flag.Parse()
	var err error
	if *serve {
		err = beServer(*netHTTP)
	} else {
		err = measure(*conns, *wait, *netHTTP)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}

// measure prints the cost of conns idle connections.
func measure(conns int, wait time.Duration, netHTTP bool) error {
	s, err := startServer(netHTTP)
	if err != nil {
		return err
	}
	defer s.stop()
	// What the first requests make the server allocate once is no cost of an idle connection.
	warm, err := open(s.addr, 100)
	closeAll(warm)
	if err != nil {
		return err
	}
	before, err := s.settle()
	if err != nil {
		return err
	}
	all, err := open(s.addr, conns)
	defer closeAll(all)
	if err != nil {
		return err
	}
	time.Sleep(wait)
	after, err := s.settle()
	if err != nil {
		return err
	}
	per := func(a, b int64) string { return fmt.Sprintf("%.0f B", float64(b-a)/float64(conns)) }
	fmt.Printf("%d connections idle for %v: %s RSS each, %s of it heap in use, %d goroutines in all\n",
		conns, wait, per(before.rss, after.rss), per(before.heap, after.heap), after.goroutines)
	for i, c := range all {
		if err := c.ask(); err != nil {
			return fmt.Errorf("connection %d after it was idle: %w", i, err)
		}
	}
	fmt.Println("every connection answered again")
	return nil
}

// client is one kept-alive connection.
type client struct {
	nc net.Conn
	r  *bufio.Reader
}

// open opens n connections and has each answer one request.
func open(addr string, n int) (all []client, err error) {
	for range n {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			return all, err
		}
		c := client{nc, bufio.NewReaderSize(nc, 512)}
		all = append(all, c)
		if err := c.ask(); err != nil {
			return all, err
		}
	}
	return all, nil
}

func closeAll(all []client) {
	for _, c := range all {
		c.nc.Close()
	}
}

// ask sends a request and reads its answer, whose length this program knows because it is its own server's.
func (c client) ask() error {
	c.nc.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c.nc, "GET / HTTP/1.1\r\nHost: idle\r\n\r\n"); err != nil {
		return err
	}
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			return err
		}
		if line == "\r\n" {
			break
		}
	}
	body := make([]byte, len(answer))
	if _, err := io.ReadFull(c.r, body); err != nil {
		return err
	}
	if string(body) != answer {
		return errors.New("wrong answer: " + string(body))
	}
	return nil
}
