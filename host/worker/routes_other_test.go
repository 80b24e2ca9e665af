//go:build !linux

package worker

const routesMarker = "routes"

func tryRoutes() {}
