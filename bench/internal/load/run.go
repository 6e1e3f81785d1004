package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Account is the load generator's report on a run, without the fields that are not used here.
type Account struct {
	Elapsed    float64          `json:"elapsed_s"`
	Requests   int64            `json:"requests"` // with the expected response
	Rate       float64          `json:"requests_per_s"`
	Errors     map[string]int64 `json:"errors"` // failed requests by kind of error
	Unanswered int64            `json:"unanswered"`
	Late       int64            `json:"late"`
	Unsent     int64            `json:"unsent"`
	Reconnects int64            `json:"reconnects"`
	Latency    struct {
		P50 float64 `json:"p50"`
		P99 float64 `json:"p99"`
	} `json:"latency_us"`
	CPU struct { // the load generator's own CPU time
		User   float64 `json:"user"`
		System float64 `json:"system"`
	} `json:"cpu_s"`
	Target struct { // the server
		User   float64 `json:"user_s"`
		System float64 `json:"system_s"`
		RSS    int64   `json:"rss_bytes"`

		UserInstructions   int64 `json:"user_instructions"` // 0 where they cannot be counted
		KernelInstructions int64 `json:"kernel_instructions"`
	} `json:"target"`
}

// Tool is a built load generator: the path of the program.
type Tool string

// Build builds the load generator of the module in root into dir.
func Build(ctx context.Context, root, dir string) (Tool, error) {
	path := filepath.Join(dir, "shockwave")
	cmd := exec.CommandContext(ctx, "go", "build", "-C", root, "-o", path, "./cmd/shockwave")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the load generator: %w\n%s", err, out)
	}
	return Tool(path), nil
}

// Run carries out the plan against s. It returns an error if a single request fails.
func (t Tool) Run(ctx context.Context, s *process.Server, p Plan) (*Account, error) {
	return run(ctx, p.Warmup+p.Duration, p.Cores, string(t), p.args(s))
}

// RunOwn runs this program's own load generator, the command load, on the second core. It makes kinds of load that
// `shockwave bench` has no flags for. It takes about d.
func RunOwn(ctx context.Context, s *process.Server, d time.Duration, args ...string) (*Account, error) {
	return RunOwnOn(ctx, process.Second, s, d, args...)
}

// RunOwnOn is RunOwn on other cores.
func RunOwnOn(ctx context.Context, cores process.Cores, s *process.Server, d time.Duration, args ...string) (*Account, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return run(ctx, d, cores, self, append([]string{"load", "-addr", s.Addr, "-pid", strconv.Itoa(s.PID)}, args...))
}

func run(ctx context.Context, d time.Duration, cores process.Cores, program string, args []string) (*Account, error) {
	// The generator ends by itself; the timeout is for one that hangs.
	ctx, cancel := context.WithTimeout(ctx, d+2*time.Minute)
	defer cancel()
	cmd := process.Command(ctx, cores, program, args...)
	cmd.Env = append(cmd.Env, "SHOCKWAVE_LOOP=") // the variable is for the servers, not for the load generator
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	failed := cmd.Run()
	var a Account
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return nil, fmt.Errorf("the load generator: %w %s", errors.Join(failed, err), strings.TrimSpace(said.String()))
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, fmt.Errorf("the load generator: %w %s", failed, strings.TrimSpace(said.String()))
	}
	return &a, nil
}

func (a *Account) check() error {
	var wrong []string
	for kind, n := range a.Errors {
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, kind))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("requests failed: %s errors, %d succeeded", strings.Join(wrong, ", "), a.Requests)
	}
	if a.Requests == 0 {
		return errors.New("no request was answered")
	}
	return nil
}
