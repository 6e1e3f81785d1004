package keep

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// patience bounds every wait of these tests that is not expected to be long.
const patience = 60 * time.Second

// style is how a client writes its requests.
type style int

const (
	single    style = iota // one, then its response
	pipelined              // several in one write
	split                  // one, in pieces
	ragged                 // several, in pieces that mind no border
)

// batch is how many requests are sent before their responses are read.
func (s style) batch() int {
	if s == pipelined || s == ragged {
		return 8
	}
	return 1
}

// sender sends every connections-th request, from first on, and reads the responses.
type sender struct {
	first int
	addr  string
	tls   bool
	style style
	all   *[requests]kept
	nc    net.Conn
	in    *bufio.Reader
	sent  int // on nc
}

func (s *sender) sendAll() error {
	defer s.close()
	for n := s.first; n < requests; {
		if err := s.ready(); err != nil {
			return err
		}
		var numbers []int
		var out []byte
		for ; n < requests && len(numbers) < s.style.batch(); n += connections {
			numbers = append(numbers, n)
			out = append(out, messageOf(n).wire()...)
			s.all[n].remote, s.all[n].tls = s.nc.LocalAddr().String(), s.tls
		}
		if err := s.write(out, n); err != nil {
			return err
		}
		for _, m := range numbers {
			if err := s.readResponse(m); err != nil {
				return fmt.Errorf("request %d: %w", m, err)
			}
		}
		s.sent += len(numbers)
	}
	return nil
}

// ready sees to it that there is a connection with requests left on it.
func (s *sender) ready() (err error) {
	if s.nc == nil || s.sent >= turnover {
		s.close()
		s.sent = 0
		if s.nc, err = net.DialTimeout("tcp", s.addr, patience); err != nil {
			return err
		}
		if s.tls {
			s.nc = tls.Client(s.nc, &tls.Config{InsecureSkipVerify: true})
		}
		s.in = bufio.NewReader(s.nc)
	}
	return s.nc.SetDeadline(time.Now().Add(patience))
}

func (s *sender) close() {
	if s.nc != nil {
		s.nc.Close()
	}
}

// write sends out in the sender's style. seed decides where it is split.
func (s *sender) write(out []byte, seed int) error {
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	for len(out) > 0 {
		n := len(out)
		if s.style == split || s.style == ragged {
			n = min(n, 1+r.IntN(max(200, len(out)/2)))
		}
		if _, err := s.nc.Write(out[:n]); err != nil {
			return err
		}
		out = out[n:]
	}
	return nil
}

func (s *sender) readResponse(n int) error {
	res, err := http.ReadResponse(s.in, nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || string(body) != strconv.Itoa(n) {
		return fmt.Errorf("got the response %s: %.100q", res.Status, body)
	}
	return nil
}
