// Package process reads what processes use: CPU time and memory.
package process
