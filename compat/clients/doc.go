// Package clients tests our clients, package client and nethttp.Transport, against other servers: nginx, Apache, h2o,
// nghttpd, Node.js and net/http. net/http's client sends the same requests, and its results are the correct ones. The package
// also tests client libraries of other projects on nethttp.Transport.
package clients
