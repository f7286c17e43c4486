// NarrativeQA with swapped splits: seven heads see windows as long as the scopes of structure. Not in a paper.
local windows(heads, tokens) = { layer: { type: 'window_views', tokens: tokens, num_views: heads }, heads: heads };

(import 'qanet.jsonnet') { views:: { windows_of_29: windows(5, 29), windows_of_58: windows(2, 58) } }
