// Package standard tests the handlers of net/http, and programs written for it, on both servers.
package standard
