package host

import "fmt"

// Sources finds the extensions that the options name and looks into none of
// them: no code runs, so they may be untrusted. What cannot be an extension is
// among the failures.
func Sources(o Options) ([]Source, []Failure, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	if o.Root != "" {
		if o.Root, err = canonical(o.Root); err != nil {
			return nil, nil, fmt.Errorf("project root: %w", err)
		}
	}
	sources, failures, _ := discover(o)
	return sources, failures, nil
}
