// Package udp reports the kernel's knowledge of a UDP socket: the size of its receive buffer, and ports at which nobody listens
// (ICMP).
package udp
