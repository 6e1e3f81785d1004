package clients

import (
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

func TestMain(m *testing.M) { both.Main(m) }
