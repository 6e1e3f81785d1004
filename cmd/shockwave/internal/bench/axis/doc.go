// Package axis divides the axes of plots and charts into steps with round numbers.
package axis
