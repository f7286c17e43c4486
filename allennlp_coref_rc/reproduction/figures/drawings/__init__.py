"""The drawings of figures. Files of conditions name them."""

from allennlp_coref_rc.reproduction.figures.drawings.ablation_curves import AblationCurves
from allennlp_coref_rc.reproduction.figures.drawings.figure import Drawing, Figure
from allennlp_coref_rc.reproduction.figures.drawings.question_bars import QuestionBars
from allennlp_coref_rc.reproduction.figures.drawings.story_maps import StoryMaps
from allennlp_coref_rc.reproduction.figures.drawings.training_curves import TrainingCurves
