// Package host loads extensions and makes their tools stand beside built-in
// ones in a registry.
//
//	h, err := host.New(ctx, host.Options{
//		Isolation: host.InProcess,
//		Root:      "/path/to/project",
//		Registry:  reg,
//	})
//	if err != nil {
//		return err
//	}
//	defer h.Close()
//
// A host finds extensions ([Options] says where), bundles each into one script,
// evaluates it in a sandbox of its own and registers its tools as [JSTool]. What
// is wrong with an extension is a [Failure], never an error of the host, and
// never hides another extension.
package host
