// Package accesslog writes a line for each request that was answered, in the combined log format.
package accesslog
