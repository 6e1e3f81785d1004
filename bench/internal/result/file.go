// Package result stores the results of measurements: every figure of every round, and the machine, versions and command.
package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File is the results of a suite, possibly from several runs that measured different scenarios.
type File struct {
	Suite     string         `json:"suite"`
	Runs      map[string]Run `json:"runs"` // by Run.Key
	Scenarios []Scenario     `json:"scenarios"`
}

// Run describes one run of the benchmark program.
type Run struct {
	Date     time.Time         `json:"date"`
	Command  string            `json:"command"`
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"` // of the peers, Go and this module, by name
	Rounds   int               `json:"rounds"`
	Duration string            `json:"duration"` // of one measurement
}

// Scenario is the results of one scenario.
type Scenario struct {
	Name    string            `json:"name"`
	Run     string            `json:"run"` // key in File.Runs
	Samples []Sample          `json:"samples"`
	Skipped map[string]string `json:"skipped,omitempty"` // why a peer did not take part
}

// Sample is one measurement of one peer.
type Sample struct {
	Round  int    `json:"round"` // the first is 1
	Peer   string `json:"peer"`
	Values Values `json:"values"`
}

// Values are figures by the key of their metric.
type Values map[string]float64

// Key returns the key of a run in File.Runs.
func (r *Run) Key() string { return r.Date.UTC().Format(time.RFC3339) }

// Read reads the results in the file called name. If it does not exist, Read returns an empty File.
func Read(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{}, nil
	}
	if err != nil {
		return nil, err
	}
	f := new(File)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Write writes the results to the file called name, replacing it atomically. It creates the directory if necessary.
func (f *File) Write(name string) error {
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Find returns the results of a scenario, nil if there are none.
func (f *File) Find(name string) *Scenario {
	for i := range f.Scenarios {
		if f.Scenarios[i].Name == name {
			return &f.Scenarios[i]
		}
	}
	return nil
}

// Put adds the results of a scenario from run. It replaces all earlier results of the scenario, because figures are only
// compared within one run.
func (f *File) Put(run Run, s Scenario) {
	if f.Runs == nil {
		f.Runs = map[string]Run{}
	}
	s.Run = run.Key()
	f.Runs[s.Run] = run
	if old := f.Find(s.Name); old != nil {
		*old = s
	} else {
		f.Scenarios = append(f.Scenarios, s)
	}
	slices.SortFunc(f.Scenarios, func(a, b Scenario) int { return strings.Compare(a.Name, b.Name) })
	f.forget()
}

// forget drops the runs that no scenario refers to.
func (f *File) forget() {
	used := map[string]bool{}
	for _, s := range f.Scenarios {
		used[s.Run] = true
	}
	for key := range f.Runs {
		if !used[key] {
			delete(f.Runs, key)
		}
	}
}

// Merge puts the scenarios of g into f. They replace the scenarios of f with the same names.
func (f *File) Merge(g *File) {
	for _, s := range g.Scenarios {
		f.Put(g.Runs[s.Run], s)
	}
}
