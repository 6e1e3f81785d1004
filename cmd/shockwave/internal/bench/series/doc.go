// Package series sets the runs at several sockets side by side.
package series
