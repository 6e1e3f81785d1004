// Package recipes builds and runs the programs of docs/recipes.md, as they stand there.
package recipes
