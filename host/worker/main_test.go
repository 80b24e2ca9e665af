package worker

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == routesMarker {
		tryRoutes()
		return
	}
	Main()
	goleak.VerifyTestMain(m)
}
