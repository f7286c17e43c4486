"""The papers' figures, and what draws them."""

from allennlp_coref_rc.reproduction.figures.ablation_curves import AblationCurves
from allennlp_coref_rc.reproduction.figures.figure import Drawing, Figure
from allennlp_coref_rc.reproduction.figures.question_bars import QuestionBars
from allennlp_coref_rc.reproduction.figures.story_maps import StoryMaps
from allennlp_coref_rc.reproduction.figures.training_curves import TrainingCurves
