package websocket

import (
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wsmemory"
)

// inMemory returns the scenarios without I/O, which measure only a library's own code.
func inMemory() []suite.Scenario {
	read := withoutIO(wsmemory.Read, "memory-read", "1 KiB of masked text read, no I/O")
	read.About = "CPU time of reading a message. blocking uses ReadMessageInto; callbacks gets a view in OnMessage; gorilla, coder and " +
		"gobwas (frames by hand, without wsutil) read into one buffer that is reused; gws has a callback. The copy into the " +
		"reader's buffer is included. Every byte is compared once, lengths always."
	message := withoutIO(wsmemory.Message, "memory-message", "1 KiB of masked text read into memory that the reader may keep, no I/O")
	message.About = "ReadMessage or its equivalent; with gobwas it is wsutil.ReadClientData. The memory that gws returns belongs to its pool."
	message.Metrics = []suite.Metric{allocs, nanoseconds}
	write := withoutIO(wsmemory.Write, "memory-write", "1 KiB of text written by a server, no I/O")
	write.Metrics = []suite.Metric{nanoseconds, allocs, writes}
	write.About = "The connection only counts the written bytes. coder and gws build a frame in memory of their own, as ours do. For " +
		"gobwas, which has no connection type, a header and a copy of the payload are written."

	mask := withoutIO(wsmemory.Mask, "memory-mask", "1 KiB masked in place")
	mask.About = "Compared with a Go loop over words of eight bytes, alternately in one process."
	utf8 := withoutIO(wsmemory.UTF8, "memory-utf8", "1 KiB of Chinese and Japanese checked to be UTF-8")
	utf8.About = "Compared with unicode/utf8, alternately in one process."
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
