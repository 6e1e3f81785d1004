// Package get is the command get, which asks for URLs and prints a line of JSON for each.
package get
