package h2client

// slowed knows the servers that want fewer PINGs: pings.slower for the next connection to each of them.
type slowed map[Key]uint8

// maxSlowed is how many servers slowed knows at once.
const maxSlowed = 1000

// note records that a connection for key was asked for fewer PINGs.
func (s *slowed) note(key Key, slower uint8) {
	if *s == nil || len(*s) >= maxSlowed {
		*s = slowed{}
	}
	(*s)[key] = max((*s)[key], slower)
}
