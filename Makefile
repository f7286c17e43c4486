# make train    set up, then train, evaluate and predict on bundled simulated data (minutes on two cores)
# make test     set up, then run the tests
# make quick    set up, then lint and run all tests but slow ones (a minute and a half)
# make lint     set up, then check format, style and types
# make docs     set up, then build the documentation's site in site/, without a network: open site/index.html
# make readers  set up, then train the readers that come with the package anew
# make notebook set up, then run docs/python.ipynb and save it with its new outputs
# make oldest   set up the oldest versions within the bounds in .venv-oldest, and with them run the quick tests
# make newest   the same in .venv-newest with the newest ones, and with them run the tests of the kernels and the whole grid too
# make install  only set up: a virtual environment in .venv, which the next call uses again
# make clean    remove what the other targets made: .venv, .venv-oldest, .venv-newest, site and $(OUTPUT), but no other models

export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Threads wait without spinning. On a busy machine, training with threads that spin is several times slower.
export OMP_WAIT_POLICY := passive
# What PyTorch (the compiled recurrence), AllenNLP and NLTK store is kept in the clone too.
export TORCH_EXTENSIONS_DIR := $(CURDIR)/.venv/torch_extensions
export ALLENNLP_CACHE_ROOT := $(CURDIR)/.venv/allennlp
export NLTK_DATA := $(CURDIR)/.venv/nltk_data
OUTPUT := output/quick_start
ARCHIVE := $(OUTPUT)/model.tar.gz

.PHONY: train test quick lint docs readers notebook oldest newest install clean

train: install
	@coref-rc train training_config/babi/quick_start.jsonnet -s $(OUTPUT) -f
	@coref-rc evaluate $(ARCHIVE) test --output-file $(OUTPUT)/test_metrics.json
	@echo '{"passage": "Mary got the milk. She went to the office.", "question": "Where is the milk?"}' | coref-rc predict $(ARCHIVE) -

# There are two processes with one thread each.
test: export OMP_NUM_THREADS := 1
test: install
	python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

quick: export OMP_NUM_THREADS := 1
quick: lint
	python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not slow" --quiet

lint: install
	ruff format --check --quiet .
	ruff check --quiet .
	mypy

# With --strict, a link that leads nowhere is an error, and so is a page that is not in the navigation.
docs: export NO_MKDOCS_2_WARNING := 1
docs: install
	python -m mkdocs build --strict

readers: install
	@for encoder in gru coref_gru; do \
		coref-rc train training_config/babi/small_$$encoder.jsonnet -s output/small_$$encoder -f \
		&& cp output/small_$$encoder/model.tar.gz allennlp_coref_rc/api/readers/$$encoder.tar.gz || exit 1; done

notebook: install
	@python -m scripts.documentation.notebooks docs/python.ipynb

# They are set up again each time, since there may be newer versions.
oldest: export PATH := $(CURDIR)/.venv-oldest/bin:$(PATH)
oldest: export TORCH_EXTENSIONS_DIR := $(CURDIR)/.venv-oldest/torch_extensions
newest: export PATH := $(CURDIR)/.venv-newest/bin:$(PATH)
newest: export TORCH_EXTENSIONS_DIR := $(CURDIR)/.venv-newest/torch_extensions
oldest newest: export OMP_NUM_THREADS := 1
oldest newest:
	scripts/install.sh .venv-$@ --$@
	python -m allennlp_coref_rc environment
	python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not slow" --quiet
	test $@ = oldest || python -m pytest -n 2 -m slow --quiet tests/modules/recurrence tests/training_config/grid_test.py --every-cell

install: .venv/installed
	@python allennlp_coref_rc/allennlp_runtime/environment.py

.venv/installed: setup.cfg pyproject.toml constraints.txt scripts/install.sh
	scripts/install.sh .venv
	@python allennlp_coref_rc/modules/recurrence/_library.py --build
	@touch $@

clean:
	rm -rf .venv .venv-oldest .venv-newest site $(OUTPUT)
	find allennlp_coref_rc -name __pycache__ -prune -exec rm -rf {} +
