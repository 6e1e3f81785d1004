package websocket

import (
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wsmemory"
)

// inMemory are scenarios without I/O: what a library's own code costs.
func inMemory() []suite.Scenario {
	read := withoutIO(wsmemory.Read, "memory-read", "1 KiB of masked text read, no I/O")
	read.About = "Processor time of what ReadMessageInto, a view in OnMessage, and a reader into the same buffer cost with " +
		"gorilla, coder and gobwas (its frames by hand, without wsutil); gws has a callback. The copy into each reader's buffer " +
		"is in it. Every byte is compared once, lengths always."
	message := withoutIO(wsmemory.Message, "memory-message", "1 KiB of masked text read, the reader's to keep, no I/O")
	message.About = "ReadMessage, and wsutil.ReadClientData of gobwas. What gws gives is its pool's."
	message.Metrics = []suite.Metric{allocs, nanoseconds}
	write := withoutIO(wsmemory.Write, "memory-write", "1 KiB of text written by a server, no I/O")
	write.Metrics = []suite.Metric{nanoseconds, allocs, writes}
	write.About = "The connection only counts what is written to it. coder and gws make a frame of their own memory, as ours " +
		"do; gobwas is its header and a copy, without anything that a connection is."

	mask := withoutIO(wsmemory.Mask, "memory-mask", "1 KiB masked in place")
	mask.About = "Beside a loop over words of eight bytes in Go, by turns in one process."
	utf8 := withoutIO(wsmemory.UTF8, "memory-utf8", "1 KiB of Chinese and Japanese checked to be UTF-8")
	utf8.About = "Beside unicode/utf8, by turns in one process."
	for _, sc := range []*suite.Scenario{&mask, &utf8} {
		sc.Metrics = []suite.Metric{speed, nanoseconds, other}
	}
	return []suite.Scenario{read, message, write, mask, utf8}
}

func withoutIO(task, name, title string) suite.Scenario {
	t := inProcess(task)
	peers := wsmemory.Peers(task)
	sc := suite.Scenario{
		Name: name, Title: title, Peers: peers, Metrics: []suite.Metric{nanoseconds, allocs},
		Check: t.check, Measure: t.measure, Time: func(d time.Duration) time.Duration { return d + time.Second },
	}
	if len(peers) > 1 {
		sc.Against = against
	}
	return sc
}
