// Package worker runs sandboxes in child processes.
package worker
