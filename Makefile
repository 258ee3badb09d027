# Commands for working with this repository; "make" lists them. CONTRIBUTING.md says more.
.PHONY: help build site test promises promises-table test-dependencies coverage coverage-report mutation test-portable soak soak-service test-keycloak test-s3 test-webdav test-windows test-numa scale udp-grid fuzz check format format-check hooks bench bench-short bench-flood bench-tls bench-packets bench-udp bench-disks bench-limit bench-growth bench-host bench-ladder bench-ring bench-small bench-wan bench-wan-report bench-relay bench-service bench-delta compare race bench-kill demo package test-aarch64 test-musl wheel test-wheel release-dry-run screenshots plot-rates clean
.DEFAULT_GOAL := help

# Asked when it is used, and not before. Quiet, but for the compiler: warnings are what fails the build.
MAVEN = $(shell .mvn/choose) --batch-mode --no-transfer-progress --quiet \
  -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.compiler=warn
JAVA = $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)
# "make bench BENCH=BytePath" runs the benchmarks whose name contains that.
BENCH ?= .*
# The modules of the product, whose coverage counts.
MODULES = fdt-core,fdt-storage,fdt-udt,fdt-server,fdt-client,fdt-nio,fdt-json,fdt-plan,fdt-cli,fdt-http,fdt-webdav,fdt-s3,fdt-spark,fdt-service
# Kill points of "make soak"; seconds that "make fuzz" spends on each decoder.
POINTS ?= 200
FUZZ_SECONDS ?= 300
JMH = $(JAVA) $(JMH_JVM) -cp "benchmarks/target/classes:$$(cat benchmarks/target/classpath)" org.openjdk.jmh.Main '$(BENCH)'

# "make bench-tls RUNS='7 10'": 7 rounds of 10 s for each run.
RUNS ?=
COMPARISON = $(JAVA) -cp "benchmarks/target/classes:$$(cat benchmarks/target/classpath)" io.fdt.compare

help:
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' Makefile

##@ Use

build: ## build fdt.jar and the jars beside it in fdt-cli/target
	@$(MAVEN) -pl fdt-cli,fdt-webdav,fdt-s3,fdt-service -am -Dmaven.test.skip=true package
	@cp -p fdt-service/target/fdt-service.jar fdt-http/target/fdt-http.jar fdt-webdav/target/fdt-webdav.jar fdt-s3/target/fdt-s3.jar fdt-cli/target/ # fdt.jar looks for them beside it

screenshots: ## pictures of each view of the page: fdt-service/target/page; ONLY=files- some of them; needs Chromium; takes 3 minutes
	@rm -rf fdt-service/target/page
	@$(MAVEN) -pl fdt-service -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ScreenshotsTest -Dfdt.screenshots=all \
	  -Dtest.run.timeout.seconds=900 $(if $(ONLY),-Dfdt.screenshots.only=$(ONLY))
	@ls fdt-service/target/page/*.png

plot-rates: ## draw docs/images/rates.svg from the first table of docs/PERFORMANCE.md; needs python3
	@python3 scripts/plot-rates.py docs/PERFORMANCE.md docs/images/rates.svg

demo: build ## serve and fetch a tree over loopback, compare both, print the rate
	@JAVA="$(JAVA)" scripts/demo.sh

site: build ## build the pages of docs/ as a site, target/site; needs python3 with venv
	@JAVA="$(JAVA)" scripts/site.sh

##@ Test

# COVERAGE=yes has JaCoCo watch the tests, for "make coverage-report" afterwards; COVERAGE=core those of fdt-core.
test: ## build everything and run all tests; reports: */target/surefire-reports
	@rm -rf */target/surefire-reports target/jacoco.exec */target/site/jacoco
	@$(MAVEN) $(if $(COVERAGE),-Pcoverage $(if $(filter core,$(COVERAGE)),-Dcoverage.only.core=true)) -T4 -Dtests.apart=true --fail-at-end verify; status=$$?; .ci/count-tests || status=1; exit $$status

test-dependencies: ## install what tests start beside Java (zsh, strace, ...) with apt-get; needs root or sudo
	@scripts/test-dependencies.sh

coverage: ## run all tests with JaCoCo: lines and branches per package, and */target/site/jacoco
	@$(MAKE) --no-print-directory test COVERAGE=yes; status=$$?; $(MAKE) --no-print-directory coverage-report || status=1; exit $$status

coverage-report: ## what the tests of "make test COVERAGE=yes" cover; fails below the floor in scripts/coverage.sh
	@$(MAVEN) -T2 -pl $(MODULES) org.jacoco:jacoco-maven-plugin:report
	@scripts/coverage.sh $(FLOOR)

# MUTATED=io.fdt.core.journal.* is one package of them.
mutation: ## change classes of session, wire, journal and security with PIT, to see that tests fail; MUTATED=CLASSES TESTS=CLASSES; fdt-core/target/pit-reports
	@$(MAVEN) -pl fdt-core test-compile org.pitest:pitest-maven:mutationCoverage $(if $(MUTATED),'-Dmutation.classes=$(MUTATED)') $(if $(TESTS),'-Dmutation.tests=$(TESTS)')

# Removes nothing from the sources: each changed class is compiled into target/promises. BUILT=yes is for "make test" having built everything just now.
PROMISES = $(if $(BUILT),:,$(MAVEN) -pl e2e -am -DskipTests package) && \
  $(JAVA) -cp "e2e/target/test-classes:$$(cat e2e/target/test-classpath)" io.fdt.promise.Promises

promises: ## remove the code of each promise in promises/, one at a time, and see its test fail; PAGE=relay is one page
	@$(PROMISES) $(if $(PAGE),--page $(PAGE)) $(PROMISES_OPTIONS)

promises-table: ## write the tables of promises in promises/README.md and docs/TESTING.md
	@$(PROMISES) --table

test-portable: ## run the end-to-end tests on java.nio.file alone, but for src/test/resources/portable-exceptions.txt
	@$(MAVEN) -pl e2e -am verify -Dsurefire.failIfNoSpecifiedTests=false -Dtest='io/fdt/e2e/**,io/fdt/security/**' \
	  -Dfdt.storage=portable -Dtest.run.timeout.seconds=3600

soak: ## kill transfers at 200 points (POINTS=N) and 90 each between servers, of data nodes and with a relay, 300 with a source that changes, then 200 runs in a row, random tests at full length, and test-portable; takes about 100 minutes
	@$(MAVEN) -pl e2e -am verify -Dsurefire.failIfNoSpecifiedTests=false \
	  -Dtest='FaultMatrixTest,ChangedSourceTest,KillPointsTest,ThirdPartyKillPointsTest,StripeKillPointsTest,RelayKillPointsTest,ManyClientsTest,RaceTest,ScaleTest,PowerLossTest,RestartScheduleTest,ScheduleTest,ThreePartyScheduleTest,UdtConnectionTest,RecordedSessionTest,PipelinesTest' -Dfdt.faults=. -Dfdt.runs=200 -Dfdt.change.rounds=300 -Dfdt.change.kills=true -Dfdt.recorded=20000 -Dfdt.pipeline.bytes=2200000000 \
	  -Dfdt.race.millis=30000 -Dfdt.session.entries=5000000 -Dfdt.power.rounds=64 -Dfdt.schedules=20000 -Dfdt.restarts=10000 -Dfdt.deltas=4000 -Dfdt.udt.schedules=20000 -Dfdt.third.schedules=20000 \
	  -Dtest.run.timeout.seconds=14400 -Dtest.jvm.compiler.arguments= -Dfdt.kill.points=$(POINTS) -Dfdt.kill.points.third=90 -Dfdt.kill.points.stripe=90 -Dfdt.kill.points.relay=90
	@$(MAKE) --no-print-directory test-portable

soak-service: ## kill -9 services, endpoints and PostgreSQL at 50 random points (POINTS=N, SEED=N); takes about 6 minutes
	@$(MAVEN) -pl fdt-service -am verify -Dsurefire.failIfNoSpecifiedTests=false -Dtest=RandomKillsTest,KilledTest \
	  -Dtest.run.timeout.seconds=3600 -Dfdt.kill.points.random=$(if $(filter 200,$(POINTS)),50,$(POINTS)) -Dfdt.kill.points.service=20 $(if $(SEED),-Dfdt.seed=$(SEED))

test-keycloak: ## sign in to fdt service by a real Keycloak; fetches 200 MB, needs 2 GB of memory
	@scripts/test-keycloak.sh "$(MAVEN)"

test-wheel: build ## install the wheel with a Java of its own in an empty environment, use it and remove it; needs PyPI
	@scripts/test-wheel.sh

test-aarch64: build ## copy to and from Java for aarch64 under QEMU; needs qemu-user-static, libc6-arm64-cross and PyPI; takes minutes
	@scripts/test-aarch64.sh

test-musl: build ## load the native libraries with the loader of musl, and copy without those that it refuses; needs musl-tools
	@JAVA="$(JAVA)" scripts/test-musl.sh

test-s3: build ## the tests of buckets with versitygw, and uploads that are killed and repeated; needs go; takes 3 minutes
	@JAVA="$(JAVA)" scripts/test-s3.sh "$(MAVEN)"

test-webdav: build ## litmus, davix, rclone, cadaver, gfal2 and XRootD against fdt serve --http; needs them installed
	@JAVA="$(JAVA)" scripts/test-webdav.sh
	@JAVA="$(JAVA)" scripts/test-tpc.sh

test-windows: build ## the command in a Java for Windows under wine, against Linux and the reverse; takes 5 minutes and 1 GB
	@JAVA="$(JAVA)" scripts/test-windows.sh

test-numa: build ## a copy on an emulated machine with two nodes of memory: where each thread ran; needs qemu-system-x86 and busybox-static; takes 2 minutes
	@scripts/test-numa.sh fdt-cli/target/fdt.jar

scale: ## a second run over five million files (FILES=N), both ends in 512 MiB
	@$(MAVEN) -pl fdt-core -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ScaleOfRerunTest \
	  -Dtest.run.timeout.seconds=1800 -Dtest.jvm.arguments='-Xmx512m -Dfdt.scale.files=$(or $(FILES),5000000)'
	@cat fdt-core/target/surefire-reports/*ScaleOfRerunTest-output.txt

udp-grid: ## data over UDP on 25 simulated paths, and 10^6 lost and 10^6 damaged packets (PACKETS=N); takes 10 minutes
	@$(MAVEN) -pl fdt-udt -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=UdtGridTest -Dtest.run.timeout.seconds=3600 \
	  -Dtest.jvm.arguments='-Xmx3g -Dfdt.udp.grid=full -Dfdt.udp.packets=$(or $(PACKETS),1000000)'
	@cat fdt-udt/target/surefire-reports/*UdtGridTest-output.txt

fuzz: ## fuzz the decoders; FUZZ_SECONDS=N for each
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh "$(MAVEN)"

check: format-check test ## check the format, then make test

format: ## format all sources
	@$(MAVEN) spotless:apply

format-check:
	@$(MAVEN) spotless:check || { echo 'Not formatted as it should be: "make format" puts it right.' >&2; exit 1; }

hooks: ## have git check the subject and the format of each commit of yours
	@git config core.hooksPath scripts/hooks

##@ Measure

bench: benchmarks/target/classpath ## run the JMH benchmarks; BENCH=NAME runs some
	@$(JMH)

# In one JVM, compiled lightly: its figures mean nothing. BUILT=yes is for "make test" having built everything just now.
bench-short: JMH_JVM = -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
bench-short: ## run each benchmark for a moment, to see that it works
	@$(if $(BUILT),:,$(MAVEN) -pl fdt-cli,benchmarks -am -Dmaven.test.skip=true package)
	@$(JMH) -f 0 -wi 1 -w 100ms -i 1 -r 100ms -p checksum=CRC32C,BLAKE3 -foe true -v SILENT -rf text -rff benchmarks/target/bench-short.txt
	@cat benchmarks/target/bench-short.txt
	@rm -rf benchmarks/target/wan-short
	@$(WAN_SHORT) --experiments first,file,small --buffers 4M --streams auto --rounds 1 --bytes 64M --files 100
	@$(WAN_SHORT) --experiments papers --rates 10 --seconds 2
	@if [ -x /usr/bin/time ]; then $(COMPARISON).SmallFiles benchmarks/target/small-short 1 1 && \
	  $(COMPARISON).Compare --jar fdt-cli/target/fdt.jar --datasets small-1k --tools fdt,fdt-warm --rounds 1 \
	  --directory benchmarks/target/compare-short --results benchmarks/target/compare-short; fi

# DATASETS, TREE, TOOLS, ROUNDS, DIRECTORY and AGAINST choose; COMPARE_OPTIONS=--help lists them.
compare: build benchmarks/target/classpath ## time FDT and every installed rival on the same data; DATASETS=small-1k ROUNDS=1 is short
	@$(JAVA) -cp "benchmarks/target/classes:$$(cat benchmarks/target/classpath)" io.fdt.compare.Compare --jar fdt-cli/target/fdt.jar \
	  $(if $(DATASETS),--datasets $(DATASETS)) $(if $(TOOLS),--tools $(TOOLS)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
	  $(if $(TREE),--tree $(TREE)) $(if $(DIRECTORY),--directory $(DIRECTORY)) $(if $(AGAINST),--against $(AGAINST)) $(COMPARE_OPTIONS)

compare-s3: build ## time FDT, s5cmd, rclone and aws-cli with a versitygw: 4 GiB (BYTES=N), 20,000 small files, mixed; takes 11 minutes at most
	@scripts/compare-s3.py fdt-cli/target/fdt.jar $(or $(BYTES),4294967296) $(or $(DATASETS),large,small,mixed)

# Within 12 minutes on 2 cores; DATASETS=one-4g or small-100k is one half of it.
RACE = one-4g,small-100k
race: ## the tables and the plot of docs/PERFORMANCE.md: FDT, cp, WDT, rsync and globus-url-copy, 4 GiB and 100,000 files
	@$(MAKE) --no-print-directory compare DATASETS=$(or $(DATASETS),$(RACE)) ROUNDS=$(or $(ROUNDS),3) \
	  TOOLS=fdt,fdt-server,fdt-warm,wdt-crc,rsync,globus

bench-flood: benchmarks/target/classpath ## a transfer with and without 2,000 idle connections
	@$(COMPARISON).FloodComparison $(RUNS)

bench-tls: benchmarks/target/classpath ## data in the clear, in BoringSSL's TLS and in the JDK's
	@$(COMPARISON).TlsComparison $(RUNS)

bench-packets: benchmarks/target/classpath ## processor time of protecting packets over UDP: CRC32C, TLS in the stream, AES-GCM
	@$(COMPARISON).PacketProtection $(RUNS)

bench-udp: benchmarks/target/classpath ## one channel over UDP over loopback: rate, processor time and objects of each end; SECONDS=5 SEGMENT=1500
	@$(JAVA) -cp "benchmarks/target/classes:$$(cat benchmarks/target/classpath)" io.fdt.udt.transport.ChannelCost $(SECONDS) $(SEGMENT)

bench-disks: build benchmarks/target/classpath ## a pull from one disk and from several: DISKS='DIR DIR ...'
	@$(COMPARISON).DiskComparison fdt-cli/target/fdt.jar $(or $(DIRECTORY),/dev/shm) $(DISKS)

bench-limit: build benchmarks/target/classpath ## how closely --limit holds over any 5 s; takes 3 minutes
	@$(COMPARISON).LimitComparison fdt-cli/target/fdt.jar $(or $(DIRECTORY),/dev/shm/fdt-limit)

bench-growth: build benchmarks/target/classpath ## cost per byte and per file as data, streams and clients grow; DIRECTORY=DIR ROUNDS=N KINDS=LARGE or SMALL
	@$(COMPARISON).Growth fdt-cli/target/fdt.jar $(or $(DIRECTORY),/dev/shm/fdt-growth) benchmarks/target/growth $(or $(ROUNDS),3) $(KINDS)

bench-ladder: benchmarks/target/classpath ## ways to move a file over loopback, each against a simpler one; DIRECTORY=MEMORY DISK=DIR MIB=N ROUNDS=N QUESTION=WORDS
	@$(COMPARISON).Ladder $(or $(DIRECTORY),/dev/shm/fdt-ladder) $(or $(DISK),benchmarks/target/ladder) $(or $(MIB),1024) $(or $(ROUNDS),5) $(if $(QUESTION),'$(QUESTION)')

# JAVA25 is the directory of a Java from 22 on.
bench-ring: ## copy a file by pread and pwrite, and by io_uring through Java's own foreign functions; JAVA25=DIR MIB=N ROUNDS=N DIRECTORY=MEMORY DISK=DIR
	@$(or $(JAVA25),$(lastword $(wildcard /usr/lib/jvm/temurin-25*)))/bin/java --enable-native-access=ALL-UNNAMED \
	  benchmarks/src/java25/FileRing.java $(or $(MIB),1024) $(or $(ROUNDS),5) $(or $(DIRECTORY),/dev/shm/fdt-ring) $(or $(DISK),benchmarks/target/ring)

bench-small: benchmarks/target/classpath ## small files with the least Java that does the work, against cp -r; DIRECTORY=DIR THOUSANDS=N ROUNDS=N
	@$(COMPARISON).SmallFiles $(or $(DIRECTORY),/dev/shm/fdt-small) $(or $(THOUSANDS),100) $(or $(ROUNDS),3)

# DIRECTORY is in memory, DISK on the disk to measure; each needs three times MIB.
bench-host: build ## copies between two processes of this host, by streams and processors, beside iperf3, cp, fio, rsync and rclone; DIRECTORY=MEMORY DISK=DIR MIB=N ROUNDS=N STREAMS='1 4'
	@python3 scripts/bench-host.py fdt-cli/target/fdt.jar $(or $(DIRECTORY),/dev/shm/fdt-host) $(or $(DISK),benchmarks/target/host-disk) \
	  benchmarks/target/host $(or $(MIB),4096) $(or $(ROUNDS),3) '$(or $(STREAMS),1 2 4 8 16)'
	@python3 scripts/plot-rates.py benchmarks/target/host/host.md benchmarks/target/host/host.svg
	@echo 'benchmarks/target/host has host.md and host.svg'

# Its path: FDT_WAN='COMMAND', as for bench-wan. TOOLS=globus takes 15 ms for each file.
bench-kill: build ## many small files over a long path, whole and with a killed receiver, beside rsync and WDT; as root; FILES=N RTT=MS TOOLS='fdt rsync' DIRECTORY=MEMORY
	@python3 scripts/bench-kill.py fdt-cli/target/fdt.jar $(or $(DIRECTORY),/dev/shm/fdt-kill) benchmarks/target/kill \
	  $(or $(FILES),1000000) $(or $(RTT),100) '$(or $(TOOLS),fdt rsync wdt)'

# Its paths but loopback: FDT_WAN='COMMAND', as for bench-wan.
bench-delta: build ## edited files over an older version, beside rsync; as root; EDITS='pages log tar hdf5 mysql nothing time' PATHS='slow fast loopback' TOOLS='auto off always rsync rsync-inplace' MIB=N ROUNDS=N DIRECTORY=MEMORY
	@python3 scripts/bench-delta.py fdt-cli/target/fdt.jar $(or $(DIRECTORY),/dev/shm/fdt-delta) benchmarks/target/delta $(or $(MIB),1024) \
	  $(or $(ROUNDS),1) '$(or $(EDITS),pages log tar hdf5 mysql nothing time)' '$(or $(PATHS),fast loopback slow)' \
	  '$(or $(TOOLS),off auto rsync rsync-inplace)'

bench-service: build benchmarks/target/classpath ## the transfer service under load: TASKS=N ENDPOINTS=N USERS=N FILES=N DIRECTORY=MEMORY DATABASE=URL
	@$(COMPARISON:compare=service).load.ServiceLoad fdt-service/target/fdt-service.jar $(or $(DIRECTORY),/dev/shm/fdt-service-load) \
	  $(or $(TASKS),10000) $(or $(ENDPOINTS),50) $(or $(USERS),200) $(or $(FILES),100000) $(DATABASE)

# EXPERIMENTS, STREAMS, CELL_SECONDS, BYTES, FILES, PARALLEL, MINUTES, DIRECTORY and RESULTS choose; WAN_OPTIONS=--help lists them.
# Its path: FDT_WAN='COMMAND' (benchmarks/README.md), otherwise the kernel's netem.
WAN = $(JAVA) -cp "benchmarks/target/classes:$$(cat benchmarks/target/classpath)" io.fdt.wan.WanSuite --jar fdt-cli/target/fdt.jar
WAN_SHORT = $(WAN) --loopback --directory $(CURDIR)/benchmarks/target/wan-short/data --results benchmarks/target/wan-short
WAN_RESULTS = --results $(or $(RESULTS),benchmarks/target/wan)

bench-wan: build benchmarks/target/classpath ## transfers over an emulated wide-area path, as root; a second start continues
	@$(WAN) $(WAN_RESULTS) --revision "$$(git describe --always --dirty)" \
	  $(if $(EXPERIMENTS),--experiments '$(EXPERIMENTS)') $(if $(STREAMS),--streams '$(STREAMS)') \
	  $(if $(CELL_SECONDS),--seconds $(CELL_SECONDS)) $(if $(BYTES),--bytes $(BYTES)) $(if $(FILES),--files $(FILES)) \
	  $(if $(PARALLEL),--parallel $(PARALLEL)) $(if $(MINUTES),--minutes $(MINUTES)) \
	  $(if $(DIRECTORY),--directory $(DIRECTORY)) $(WAN_OPTIONS)

# Its paths: FDT_WAN='COMMAND', as for bench-wan. Most of its 24 rows move BYTES (135 MB) over 10 Mbit/s; BYTES=2000000 is short.
bench-relay: build benchmarks/target/classpath ## the relay paper's paths, with a relay and without, and 20 sessions through one relay; as root; BYTES=N ROUNDS=N DIRECTORY=MEMORY
	@$(COMPARISON:compare=wan).RelayComparison fdt-cli/target/fdt.jar $(or $(DIRECTORY),/dev/shm/fdt-relay) $(or $(BYTES),135000000) $(or $(ROUNDS),1)

bench-wan-report: benchmarks/target/classpath ## table and plots of the results of bench-wan
	@$(WAN) $(WAN_RESULTS) --report

# Phony on purpose: Maven knows better than make what has changed.
.PHONY: benchmarks/target/classpath
benchmarks/target/classpath:
	@$(MAVEN) -pl benchmarks -am -DskipTests package

##@ Release

package: build ## build fdt-cli/target/fdt_VERSION_all.deb and fdt-VERSION-1.noarch.rpm
	@scripts/package.sh

wheel: build ## build the Python wheel fdt-cli/target/fdt_transfer-VERSION-py3-none-any.whl, with the command fdt
	@python3 scripts/wheel.py fdt-cli/target fdt-cli/target/fdt.jar fdt-cli/target/fdt-http.jar fdt-cli/target/fdt-webdav.jar fdt-cli/target/fdt-s3.jar

release-dry-run: ## publish the libraries of the last commit into target/release, twice, and check the result; VERSION=X API_BASELINE=REPOSITORY API_VERSION=X
	@scripts/release-dry-run.sh $(VERSION)

clean: ## remove everything that was built
	@$(MAVEN) clean
