// Quoref's development set, cross-validated over its articles: windows as dense as discourse relations. Not in a paper.
(import 'dassa_discourse.jsonnet') {
  local windows(name, view) = view { layer: { type: 'window_views', like: view.layer } },
  views:: std.mapWithKey(windows, super.views),
}
