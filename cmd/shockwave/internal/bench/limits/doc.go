// Package limits judges a report by the conditions of -fail.
package limits
