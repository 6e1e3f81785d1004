package sockets

import (
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// The metrics of the scenarios.
var (
	rate       = suite.Metric{Key: suite.Rate, Title: "messages/s", More: true}
	sender     = suite.Metric{Key: "sender_us", Title: "sender's CPU µs/message"}
	receiver   = suite.Metric{Key: "receiver_us", Title: "receiver's CPU µs/message"}
	client     = suite.Metric{Key: sender.Key, Title: "client's CPU µs/message"}
	server     = suite.Metric{Key: receiver.Key, Title: "server's CPU µs/message"}
	p50        = suite.Metric{Key: suite.P50, Title: "p50 µs"}
	p99        = suite.Metric{Key: suite.P99, Title: "p99 µs"}
	cpu        = suite.Metric{Key: suite.CPU, Title: "CPU µs/message"}
	user       = suite.Metric{Key: suite.User, Title: "user"}
	system     = suite.Metric{Key: suite.System, Title: "system"}
	delivery   = suite.Metric{Key: cpu.Key, Title: "CPU µs/delivery"}
	deliveries = suite.Metric{Key: rate.Key, Title: "deliveries/s", More: true}
	toAll      = suite.Metric{Key: p50.Key, Title: "p50 µs until all have it"}
	rss        = suite.Metric{Key: "rss_bytes", Title: "RSS bytes/connection"}
	heap       = suite.Metric{Key: "heap_bytes", Title: "heap bytes/connection"}
	goroutines = suite.Metric{Key: "goroutines", Title: "goroutines in all"}
)
