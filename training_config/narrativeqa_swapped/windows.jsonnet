// NarrativeQA with swapped splits: eight heads see windows as dense as the scopes of structure.jsonnet. Not in a paper.
(import 'structure.jsonnet') {
  local windows(name, view) = view { layer: { type: 'window_views', like: view.layer } },
  views:: std.mapWithKey(windows, super.views),
}
