package wire

import (
	"container/heap"
	"math/rand/v2"
	"os"
	"time"
)

// carrier takes packets from one link to another, in one direction.
type carrier struct {
	from, to *os.File
	weather
	dice *rand.Rand
	way  chan packet
}

// packet is on its way until it is due.
type packet struct {
	bytes []byte
	due   time.Time
	nth   int
}

func newCarrier(from, to *os.File, how weather, dice *rand.Rand) *carrier {
	return &carrier{from: from, to: to, weather: how, dice: dice, way: make(chan packet)}
}

// receive decides what becomes of each packet, until the link is closed.
func (c *carrier) receive() {
	defer close(c.way)
	buf := make([]byte, mtu)
	for nth := 0; ; nth++ {
		n, err := c.from.Read(buf)
		if err != nil {
			return
		}
		copies := 1
		switch fate := c.dice.Float64(); {
		case fate < c.lost:
			copies = 0
		case fate < c.lost+c.twice:
			copies = 2
		}
		for range copies {
			c.way <- packet{append([]byte(nil), buf[:n]...), time.Now().Add(c.delayOfOne()), nth}
		}
	}
}

func (c *carrier) delayOfOne() time.Duration {
	d := c.delay
	if c.jitter > 0 {
		d += time.Duration(c.dice.Int64N(int64(c.jitter)))
	}
	if c.dice.Float64() < c.late {
		d += c.lateness
	}
	return d
}

// queueLength is how many packets may be on their way, as in a router of modest size.
const queueLength = 1000

// send gives packets out as they are due. A packet that the link does not take is lost like others.
func (c *carrier) send() {
	var queue packets
	clock := time.NewTimer(time.Hour)
	defer clock.Stop()
	for {
		select {
		case p, open := <-c.way:
			if !open {
				return
			}
			if len(queue) < queueLength {
				heap.Push(&queue, p)
			}
		case <-clock.C:
		}
		for len(queue) > 0 && !time.Now().Before(queue[0].due) {
			c.to.Write(heap.Pop(&queue).(packet).bytes)
		}
		if len(queue) > 0 {
			clock.Reset(time.Until(queue[0].due))
		}
	}
}

// packets is a heap: the next to be due comes first, and of two that are due together the older.
type packets []packet

func (q packets) Len() int { return len(q) }
func (q packets) Less(i, j int) bool {
	return q[i].due.Before(q[j].due) || q[i].due.Equal(q[j].due) && q[i].nth < q[j].nth
}
func (q packets) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *packets) Push(p any)   { *q = append(*q, p.(packet)) }
func (q *packets) Pop() any {
	last := len(*q) - 1
	p := (*q)[last]
	*q = (*q)[:last]
	return p
}
