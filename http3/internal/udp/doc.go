// Package udp has what the kernel says of a socket of UDP: the size of its receive buffer, and that nobody listens at a port (ICMP).
package udp
