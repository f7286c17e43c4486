// Variants of the GA Reader, as the papers' tables compare them. Each changes one field of ga.libsonnet, and they
// combine in any order. If two change the same field, the last one wins. docs/configs.md has a table.
local encoders = import 'encoders.libsonnet';
local transformers = import 'transformers.libsonnet';

{
  // The encoder of each layer: Coref-GRU (Dhingra et al., NAACL 2018), MAGE-GRU with a number of units for coreference
  // edges, "MAGE (16)" (Dhingra et al., 2017, arXiv:1703.02620), and DASSA (Mihaylov & Frank, EMNLP 2019): a block of
  // self-attention, one head of which sees clusters.
  // `gru` is the recurrence of `coref_gru` without relations, `torch_gru` the same model in PyTorch.
  gru: { encoder:: encoders.compiled_gru(self.hidden_size) },
  torch_gru: { encoder:: encoders.gru(self.hidden_size) },
  coref_gru: { encoder:: encoders.coref_gru(self.hidden_size) },
  local split_state(hidden_size, coref_size) = { sequential: hidden_size - coref_size, coref: coref_size },
  mage_gru(coref_size): { encoder:: encoders.mage_gru(split_state(self.hidden_size, coref_size)) },
  mage_gru_joint(coref_size): { encoder:: encoders.joint_mage_gru(split_state(self.hidden_size, coref_size)) },
  local shared_state(hidden_size) = { sequential: hidden_size, coref: hidden_size },
  mage_gru_shared: { encoder:: encoders.mage_gru(shared_state(self.hidden_size), { variant: 'shared' }) },
  dag_rnn: { encoder:: encoders.mage_gru(shared_state(self.hidden_size), { variant: 'dag_rnn' }) },
  dassa: {
    encoder:: encoders.dassa(self.hidden_size, { coref: { layer: 'coref_views', heads: 1 } }, self.dassa_options),
  },

  // Word vectors of a pretrained transformer, which is trained with the reader: `transformer('bert-base-uncased')`.
  transformer: transformers.transformer,

  // Indicators of clusters in addition to the embeddings, "+ 1-hot".
  one_hot: { cluster_one_hot:: self.max_clusters },

  // Corrupted clusters (Figure 3 of Coref-GRU), as keys of dataset_reader.annotator say, or random ones.
  corrupted_clusters: { corruption:: {} },
  random_clusters: { corruption:: { random_clusters: true } },

  // A single layer, as in the attention-sum reader: "Bi-GRU", "Bi-C-GRU".
  single_layer: { layers:: 1 },
  // A bilinear score over tokens. With a single layer this is the Stanford Reader (Chen et al., ACL 2016), as far as it
  // has the same parts.
  bilinear: { pointer:: { type: 'attention_sum', bilinear: true } },

  // Collaborative Gating (CG+SBA, NAACL-SRW 2018): by the question Q or the filtered question Z, with and without the
  // final filtering.
  cg: { gating:: { type: 'collaborative', gate_by: 'question', final_filtering: true } },
  cg_by_question_unfiltered: { gating:: { type: 'collaborative', final_filtering: false } },
  cg_by_filtered_question: { gating:: { type: 'collaborative', gate_by: 'filtered_question' } },
  cg_by_filtered_question_unfiltered: {
    gating:: { type: 'collaborative', gate_by: 'filtered_question', final_filtering: false },
  },

  // Self-Belief Aggregation, of the same paper.
  sba_question: { self_belief+:: { question: {} } },
  sba_question_tanh: { self_belief+:: { question: { attention: 'tanh' } } },
  sba_passage: { self_belief+:: { passage: {} } },
}
