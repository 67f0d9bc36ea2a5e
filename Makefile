# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# A front for CMake and the scripts; `make help` lists what there is.
.DEFAULT_GOAL := help
.PHONY: fuzz demo test soak pictures check-blender check-page check-docs build wasm bench results lint format golden same-bytes install clean help

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BREAKS ?= 10000
STEPS ?= 100000
SECONDS ?= 600
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)
# Do not let this make lend its job server to the builds underneath.
unexport MAKEFLAGS

demo: ## balls smash plates on a shelf: times, out/plates.html to play, .glb, .mp4
	@scripts/setup build
	@scripts/setup film || echo 'going on without a clip'
	@scripts/compile release product
	@scripts/demo

test: ## every check: tests in seven builds, format, lint, includes, installation
	@scripts/setup build test
	@scripts/test

soak: ## the long versions of tests: ten thousand random breaks (BREAKS=n for another number), endless rain …
	@scripts/setup build test
	@scripts/compile release tests
	@build/test_tunnel --directions 1000
	@build/test_islands --bodies 1000
	@build/test_world_soak --steps $(STEPS)
	@build/test_soak --breaks $(BREAKS)
	@build/test_deferral --bricks 200
	@build/test_snapshot --long
	@build/test_recording --long
	@build/test_rain --steps 100000
	@build/test_scene_audit --full
	@build/test_world_breaks --breaks 1000
	@build/test_momentum --meetings 2000
	@build/sherd bench rocks crowd score --repeat 10

fuzz: ## each reader of meshes fuzzed for SECONDS (600), one after the other; findings in build/fuzz
	@scripts/setup build test
	@scripts/compile fuzz fuzzers
	@scripts/fuzz $(SECONDS)

build: ## the program, build/sherd, and both libraries
	@scripts/setup build
	@scripts/compile release product

wasm: ## the library as a WebAssembly module, build/wasm/sherd.wasm
	@scripts/setup build test
	@scripts/compile wasm product

bench: ## all benchmarks, beside other engines
	@scripts/setup build
	@scripts/setup bench || echo 'going on without what is missing'
	@scripts/compile release product
	@build/sherd bench

results: ## all benchmarks, kept in bench/results/ and docs/results.md; QUICK=1, SUITES="pile scale"
	@scripts/setup build
	@scripts/setup bench || echo 'going on without what is missing'
	@scripts/compile release product
	@scripts/results $(SUITES)

pictures: build ## the pictures of docs/breaking.md and docs/gallery.md anew
	@scripts/pictures
	@scripts/gallery

check-blender: build ## a film of the plates, and a broken ball with a texture, in Blender (large)
	@scripts/setup blender
	@test/blender/run
	@test/blender/run-textures

check-page: build ## the page of the plates in Chromium (large): plays, without a network
	@scripts/setup browser
	@test/page/run

check-docs: build ## runs every command of the documentation
	@scripts/setup film
	@test/docs/run

lint: ## static analysis, include direction, licence heads
	@scripts/setup build test
	@scripts/lint

format: ## format all C sources in place
	@scripts/setup test
	@scripts/format

golden: ## rewrite the golden hashes; say why in the commit
	@scripts/setup build test
	@scripts/compile release tests
	@SHERD_GOLDEN=write ctest --test-dir build -L golden --output-on-failure

same-bytes: ## cook all models with every kind of build and compare the files
	@scripts/setup build test
	@scripts/same-bytes

install: build ## install under PREFIX (/usr/local)
	@cmake --install build --prefix $(PREFIX)
	@[ "$$(id -u)" != 0 ] || ldconfig 2>/dev/null || true # so that programs find the library at once

clean: ## remove everything that was built
	rm -rf build out

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
