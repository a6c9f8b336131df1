# What a person types. The work is in scripts/; each target installs what it needs first.
#   make demo SIZE=small   smaller files      make bench ARGS="--help"   arguments for the benchmark
#   PYTHON=python3.12      for the venv       PRESET=asan make build     another build
SIZE ?= full
ARGS ?=
export PYTHON PRESET

.PHONY: help deps build demo test bench lint format clean
help:
	@echo "make demo    a parallel HDF5 and an mpi4py program, with their MPI and with resonio"
	@echo "make test    every test"
	@echo "make build   the libraries (build/dev/lib) and the command (.venv/bin/resonio)"
	@echo "make bench   benchmarks against the MPIs' own MPI-IO"
	@echo "make lint    formatting and static checks     make format   mend the formatting"
	@echo "make deps    only install what all this needs make clean    remove what was built"

deps:
	@scripts/deps.sh
build: deps
	@scripts/build.sh
demo: build
	@scripts/demo.sh --size $(SIZE)
test: build
	@scripts/test.sh
bench: deps
	@scripts/bench.sh $(ARGS)
lint: deps
	@scripts/lint.sh check
format: deps
	@scripts/lint.sh format
clean:
	rm -rf build results
