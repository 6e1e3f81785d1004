// Package certs makes and loads the certificates of commands that listen or dial over TLS.
package certs
