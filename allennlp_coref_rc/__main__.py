"""AllenNLP's commands with this plugin in any folder: `python -m allennlp_coref_rc train CONFIG -s FOLDER`."""

from allennlp.commands import main

if __name__ == "__main__":
    main(prog="python -m allennlp_coref_rc")
