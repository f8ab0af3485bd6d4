# `demo` and `test` are the two commands of the README. Each does its own set-up on a fresh clone.
.PHONY: demo test random built tests environment beside check python venv wheel install-test docs instructions view sockets sanitize mutants

CARGO ?= cargo

# A comparison of ECMP, OPS and REPS on 128 GPUs; writes report.html and results/.
demo:
	@CARGO="$(CARGO)" .ci/need
	$(CARGO) run --release --quiet -p raddle-cli -- compare

# Everything that must hold before a change lands: what is built first, then what runs, with the
# instructions of packet-hops and the Python package beside the tests.
test:
	@CARGO="$(CARGO)" .ci/need python
	$(CARGO) fmt --all --check
	$(MAKE) --no-print-directory --jobs=2 built environment
	$(MAKE) --no-print-directory --jobs=2 tests beside || { .ci/tests failed; exit 1; }

# Tests that take moments, of schemes and of each file of the engine, are sooner built than optimised;
# the others simulate, every figure in its quick form among them. Built once and whole: what the next
# build after an edit could reuse is left out, which takes longer and gives slower programs. Always of
# the whole workspace: of one package alone, crates of others would have other features, and be built
# again; the last two build few. A `+` lets cargo share make's jobs.
#
# Crates are linted as they are built, and their documents are made of what was built: in passes of
# their own, `cargo clippy` and `cargo doc` have the 200 crates of others checked once more.
short = --exclude raddle-schemes --exclude raddle-sim
built tests beside python instructions view: export CARGO_INCREMENTAL = 0
built tests beside python instructions: export RUSTC_WORKSPACE_WRAPPER = $(shell rustc --print sysroot)/bin/clippy-driver
built tests beside python instructions: export CLIPPY_ARGS = -Dwarnings__CLIPPY_HACKERY__
built:
	+$(CARGO) test --workspace $(short) --tests --examples --quiet --no-run
	+$(CARGO) test --workspace --test suite --test memory --example by_hand --quiet --no-run
	+$(CARGO) build --profile test --workspace --lib --bins --test memory --example counted --quiet
tests:
	+CARGO="$(CARGO)" .ci/tests
environment:
	@CARGO="$(CARGO)" .ci/python environment
beside:
	$(MAKE) --no-print-directory python
	$(MAKE) --no-print-directory instructions
	.ci/view
	CARGO="$(CARGO)" .ci/package

# Within a minute: format, lints of the crates that the change touches, the tests of the schemes, and
# both engines on some plans.
check:
	CARGO="$(CARGO)" .ci/check

# The Python package and its tests, in an environment of its own; part of `test`, whose build of the
# libraries it takes over.
python:
	+CARGO="$(CARGO)" .ci/python test

# A virtual environment .venv with the Python package in it.
venv:
	@CARGO="$(CARGO)" .ci/python venv

# A wheel of the Python package in target/wheels.
wheel:
	CARGO="$(CARGO)" .ci/python wheel

# Whether Raddle can be installed in each of the ways that docs/install.md names. Builds everything
# optimised, so not part of `test`; with QUICK=1 unoptimised.
install-test:
	CARGO="$(CARGO)" .ci/install

# Writes the tables of keys, schemes and parameters into the documents, the schema of scenario files,
# and the builders of Python from it; `test` compares them.
docs:
	$(CARGO) run --quiet -p raddle-cli -- schemes --markdown docs/scenario.md
	$(CARGO) run --quiet -p raddle-cli -- explain --markdown docs/formats.md
	$(CARGO) run --quiet -p raddle-cli -- advise --markdown docs/advise.md
	$(CARGO) run --quiet -p raddle-cli -- schema --out docs/scenario.schema.json
	CARGO="$(CARGO)" .ci/python builders

# Instructions per packet-hop against the recorded ones; part of `test`.
instructions:
	+CARGO="$(CARGO)" .ci/instructions && CARGO="$(CARGO)" .ci/instructions --large

# The page of `raddle view` from its sources; `test` compares it, where Node is there.
view:
	.ci/view bundle

# Both engines on 10,000 random plans of each kind; CASES=100000 draws as many. Hours, so not part of
# `test`, which draws some hundreds, others each time.
CASES = 10000
random:
	PROPTEST_CASES=$(CASES) $(CARGO) test --package raddle-sim --test suite engines_agree

# Times over real sockets against those of a simulation, on a fabric of network namespaces: for an idle
# machine, so not part of `test`.
sockets:
	$(CARGO) test --package raddle-udp --test fabric -- --ignored --nocapture --test-threads 1

# The engine under AddressSanitizer, Miri and valgrind, as far as they are installed.
sanitize:
	CARGO="$(CARGO)" .ci/sanitize

# Small mistakes in the source files of a change, which the tests have to find: what they miss is
# listed. Minutes a file, so not part of `test`; FILES="crates/.." chooses others.
mutants:
	CARGO="$(CARGO)" .ci/mutants
