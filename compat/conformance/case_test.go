package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// conversation is one case: what a client sends, and what a server may say.
type conversation struct {
	topic, title string
	rule         string // "RFC 9112 §3.2"
	level        string // MUST, SHOULD, MAY, or house: stricter than the RFC asks
	differs      string // why one of the oracles responds otherwise; empty where it must agree
	script       string
	steps        []step // of script, over HTTP/1.1
}

// step is either something to send or something to hear, never both.
type step struct {
	send []chunk
	hear []outcome
}

// name is the case's name as a subtest.
func (c *conversation) name() string { return c.topic + "/" + c.title }

// caseRule reads the start of a case's paragraph, such as "RFC 9112 §6.3, MUST."
var caseRule = regexp.MustCompile(`^(RFC \d+ (?:§|Appendix )[\w.]+), (MUST|SHOULD|MAY|house)\. `)

// loadConversations reads every Markdown file of dir; README.md explains the format.
func loadConversations(t testing.TB, dir string) []conversation {
	return loadTopics(t, dir, parseTopic)
}

// loadTopics reads every Markdown file of dir with parse.
func loadTopics(t testing.TB, dir string, parse func(topic, text string) ([]conversation, error)) []conversation {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []conversation
	seen := map[string]bool{}
	for _, f := range files {
		if filepath.Base(f) == "README.md" {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		topic := strings.TrimSuffix(filepath.Base(f), ".md")
		cs, err := parse(topic, string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, c := range cs {
			if seen[c.name()] {
				t.Fatalf("%s: two cases are called %q", f, c.title)
			}
			seen[c.name()] = true
		}
		all = append(all, cs...)
	}
	return all
}

// oracles are the servers that the cases are held against, too: quic-go's for HTTP/3, and net/http's for the others.
var oracles = []string{"net/http", "quic-go"}

// parseTopic reads the cases of one file, whose scripts speak HTTP/1.1.
func parseTopic(topic, text string) ([]conversation, error) {
	all, err := parseCases(topic, text)
	for i := range all {
		c := &all[i]
		if c.steps, err = parseScript(c.script); err != nil {
			return nil, fmt.Errorf("%q: %w", c.title, err)
		}
	}
	return all, err
}

// parseCases cuts one file into its sections and each section into its cases.
func parseCases(topic, text string) ([]conversation, error) {
	var all []conversation
	for i, section := range strings.Split("\n"+text, "\n## ") {
		if i == 0 {
			continue // the file's own introduction
		}
		cs, err := parseSection(topic, section)
		if err != nil {
			title, _, _ := strings.Cut(section, "\n")
			return nil, fmt.Errorf("%q: %w", title, err)
		}
		all = append(all, cs...)
	}
	return all, nil
}

// parseSection reads a title, a paragraph, a script and perhaps a table; every row of the table is a case of its own.
func parseSection(topic, section string) ([]conversation, error) {
	title, rest, _ := strings.Cut(section, "\n")
	prose, rest, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		return nil, fmt.Errorf("there is no script")
	}
	script, after, ok := strings.Cut(rest, "\n```")
	if !ok {
		return nil, fmt.Errorf("the script has no end")
	}
	prose = strings.TrimSpace(prose)
	m := caseRule.FindStringSubmatch(prose)
	if m == nil {
		return nil, fmt.Errorf("the paragraph does not start with a rule and its level")
	}
	c := conversation{topic: topic, title: strings.TrimSpace(title), rule: m[1], level: m[2]}
	for _, other := range oracles {
		if _, why, ok := strings.Cut(strings.ReplaceAll(prose, "\n", " "), other+" differs: "); ok {
			c.differs = why
		}
	}
	rows, err := parseTable(after)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		rows = []map[string]string{nil}
	}
	var all []conversation
	for _, row := range rows {
		all = append(all, c.withRow(script, row))
	}
	return all, nil
}

// withRow returns the case that the script makes with one row's values.
func (c conversation) withRow(script string, row map[string]string) conversation {
	for column, value := range row {
		script = strings.ReplaceAll(script, "{"+column+"}", value)
	}
	if name := row["case"]; name != "" {
		c.title += ": " + name
	}
	for _, other := range oracles {
		if why := row[other]; why != "" {
			c.differs = why
		}
	}
	if level := row["level"]; level != "" {
		c.level = level
	}
	c.script = script
	return c
}
