// Package recipes builds and runs the programs of docs/recipes.md, exactly as they are in the page.
package recipes
