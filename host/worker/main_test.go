package worker

import (
	"fmt"
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
	if os.Getenv("RHO_LONG") == "" {
		fmt.Println("worker processes are not the default yet; .ci/long tests them (RHO_LONG=1)")
		return
	}
	goleak.VerifyTestMain(m)
}
