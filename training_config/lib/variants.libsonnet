// What the papers' tables compare, as objects to add to a data set's experiment.
local encoders = import 'encoders.libsonnet';

{
  // Coref-GRU (Dhingra et al., NAACL 2018) and MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620): encoders.
  gru: { passage_encoder:: encoders.gru(self.hidden_size) },
  // The same model, run by our compiled recurrence.
  compiled_gru: {
    local experiment = self,
    passage_encoder:: encoders.mage_gru({ sequential: experiment.hidden_size }),
  },
  gru_one_hot: self.gru {
    cluster_one_hot:: self.max_clusters,
    annotation_layers+:: { coref_clusters: 'coref_clusters' },
  },
  coref_gru: {
    passage_encoder:: encoders.coref_gru(self.hidden_size),
    annotation_layers+:: { coref: 'coref_edges' },
  },
  corrupted_coref_gru: self.coref_gru {
    local clean = super.annotator,
    annotator:: { type: 'corrupted_coref', annotator: clean },
  },
  random_coref_gru: self.corrupted_coref_gru { annotator+:: { random_clusters: true } },
  // With a number of units for coreference edges: "MAGE (16)".
  mage_gru(coref_size): {
    local experiment = self,
    state_sizes:: { sequential: experiment.hidden_size - coref_size, coref: coref_size },
    encoder_options:: {},
    passage_encoder:: encoders.mage_gru(self.state_sizes, self.encoder_options),
    encoder_initializers:: [],
    annotation_layers+:: { coref: 'coref_edges' },
  },
  // DASSA (Mihaylov & Frank, EMNLP 2019): a block of self-attention, one head of which sees clusters.
  dassa: {
    dassa_options:: {},
    passage_encoder:: encoders.dassa(self.hidden_size, { coref: 1 }, self.dassa_options),
    encoder_initializers:: [],
    annotation_layers+:: { coref: 'coref_views' },
  },

  // A single layer: the attention-sum reader, "Bi-GRU", "Bi-C-GRU".
  single_layer: { layers:: 1 },
  // The Stanford Reader (Chen et al. 2016), as far as it is made of the same parts: a bilinear score over tokens.
  stanford: self.gru + self.single_layer + { model+: { pointer: { type: 'attention_sum', bilinear: true } } },

  // CG+SBA (NAACL-SRW 2018): gating and self-belief, with GRUs.
  cg: self.gru { gating:: { type: 'collaborative', gate_by: 'question', final_filtering: true } },
  cg_by_question_unfiltered: self.gru { gating:: { type: 'collaborative', final_filtering: false } },
  cg_by_filtered_question: self.gru { gating:: { type: 'collaborative', gate_by: 'filtered_question' } },
  cg_by_filtered_question_unfiltered: self.gru {
    gating:: { type: 'collaborative', gate_by: 'filtered_question', final_filtering: false },
  },
  sba_question: self.gru { question_self_belief:: true },
  sba_question_tanh: self.sba_question { self_belief_options:: { attention: 'tanh' } },
  sba_passage: self.gru { passage_self_belief:: true },
  sba_both: self.gru { question_self_belief:: true, passage_self_belief:: true },
  cg_sba: self.cg { question_self_belief:: true },
}
