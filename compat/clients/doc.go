// Package clients has our clients, package client and nethttp.Transport, ask other people's servers: nginx, Apache, h2o,
// nghttpd, Node.js and net/http. net/http's client asks the same: it says what is right. And it has other people's libraries
// for clients use nethttp.Transport.
package clients
