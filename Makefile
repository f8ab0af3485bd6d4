# `demo` and `test` are the two commands of the README. Each does its own set-up on a fresh clone.
.PHONY: demo test python wheel docs instructions sanitize

CARGO ?= cargo

# A comparison of ECMP, OPS and REPS on 128 GPUs; writes report.html and results/.
demo:
	$(CARGO) run --release --quiet -p raddle-cli -- compare

# Everything that must hold before a change lands.
test:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet
	$(CARGO) test --workspace --quiet
	$(CARGO) run --release --quiet -p raddle-cli -- reproduce --quick
	$(MAKE) instructions

# The Python package, installed into an environment of its own, and its tests.
TARGET := $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)
python:
	python3 -m venv $(TARGET)/python-venv
	$(TARGET)/python-venv/bin/pip install --quiet --disable-pip-version-check -r python/requirements.txt
	$(CARGO) build --quiet --profile test -p raddle-cli
	PATH="$(TARGET)/python-venv/bin:$$PATH" $(TARGET)/python-venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --force-reinstall --no-deps --config-settings=build-args="--profile test" ./python
	RADDLE=$(TARGET)/debug/raddle $(TARGET)/python-venv/bin/python -m pytest --quiet -p no:cacheprovider python/tests

# A wheel of the Python package in target/wheels.
wheel:
	python3 -m venv $(TARGET)/python-venv
	$(TARGET)/python-venv/bin/pip install --quiet --disable-pip-version-check -r python/requirements.txt
	$(TARGET)/python-venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(TARGET)/wheels ./python

# Writes the tables of schemes and parameters into the documents; `test` compares them.
docs:
	$(CARGO) run --quiet -p raddle-cli -- schemes --markdown docs/scenario.md

# Instructions per packet-hop against the recorded ones; part of `test`.
instructions:
	CARGO="$(CARGO)" .ci/instructions && CARGO="$(CARGO)" .ci/instructions --large

# The engine under AddressSanitizer, Miri and valgrind, as far as they are installed.
sanitize:
	CARGO="$(CARGO)" .ci/sanitize
