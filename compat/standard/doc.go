// Package standard serves the handlers that come with net/http, and programs written for it, on both servers.
package standard
