// Triples of bAbI's facts, and the clusters: "Lily is a frog", "The office is east of the hallway".
{
  local of_clusters = super.annotator,
  annotator:: { type: 'compose', annotators: [of_clusters, 'simple_triples'] },
  types:: [
    'is',
    'is_a',
    'is_above',
    'is_below',
    'is_to_left_of',
    'is_to_right_of',
    'is_north_of',
    'is_south_of',
    'is_east_of',
    'is_west_of',
  ],
}
