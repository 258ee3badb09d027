#!/bin/sh
# Makes fdt.jsa and what belongs to it beside a fdt.jar: the classes that a server and its clients load, as the JVM keeps them in memory,
# unpacked native libraries, and JVM options. They fit one jar at one place and one JDK, which fdt.jsa.stamp names; with any other, and
# without them, the command works as well, but takes twice the processor time to start. So a failure here is a warning.
# Usage: class-archive.sh JAR
set -eu
jar=$(realpath "$1")
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
"$java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$jar" io.fdt.cli.ClassArchive ||
  echo "class-archive: nothing made beside $jar; starting will take longer" >&2
