package shockwave_test

import (
	"fmt"

	"github.com/shockwave-go/shockwave"
)

// Names are compared without regard to case and kept as they were given; lines keep their order.
func ExampleHeader() {
	var h shockwave.Header
	h.Add("Cache-Control", "no-store")
	h.Add("Set-Cookie", "a=1")
	h.Add("Set-Cookie", "b=2")
	h.Set("cache-control", "no-cache")

	for i := range h.Len() {
		name, value := h.At(i)
		fmt.Printf("%s: %s\n", name, value)
	}
	// Output:
	// cache-control: no-cache
	// Set-Cookie: a=1
	// Set-Cookie: b=2
}

// This loop visits all values of a name without allocating.
func ExampleHeader_Next() {
	var h shockwave.Header
	h.Add("Accept", "text/html")
	h.Add("Host", "example.org")
	h.Add("Accept", "text/plain")

	for v, i := h.Next("accept", 0); i > 0; v, i = h.Next("accept", i) {
		fmt.Printf("%s\n", v)
	}
	// Output:
	// text/html
	// text/plain
}

// Get returns nil if there is no line, and an empty slice for an empty value.
func ExampleHeader_Get() {
	var h shockwave.Header
	h.Add("X-Empty", "")
	fmt.Println(h.Get("X-Empty") == nil, h.Get("X-Missing") == nil)
	// Output: false true
}
