package registry

import "slices"

// hookSource gives hooks that come and go.
type hookSource struct{ list *func() []Hook }

// AddHooks has every door of the registry ask source for hooks, before and after
// each call: for hooks that come and go while calls run, such as those of
// extensions. No door can leave them out. source must be quick and safe for
// concurrent use.
func (r *Registry) AddHooks(source func() []Hook) (remove func()) {
	own := hookSource{&source}
	r.changeHooks(func(list []hookSource) []hookSource { return append(list, own) })
	return func() {
		r.changeHooks(func(list []hookSource) []hookSource {
			return slices.DeleteFunc(list, func(s hookSource) bool { return s == own })
		})
	}
}

func (r *Registry) changeHooks(change func([]hookSource) []hookSource) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []hookSource
	if old := r.hooks.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	r.hooks.Store(&list)
}

// hooks are those that see a call now, in their order.
func (d *Door) hooks() []Hook {
	sources := d.registry.hooks.Load()
	if sources == nil || len(*sources) == 0 {
		return d.opts.Hooks
	}
	list := slices.Clone(d.opts.Hooks)
	for _, s := range *sources {
		list = append(list, (*s.list)()...)
	}
	return list
}
