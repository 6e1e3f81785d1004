// Package meter measures what the load generator, and a process beside it, use during a run.
package meter
