# Starts the far side of a copy over SSH. FDT sends this text to a POSIX shell, after lines that set
#   mark             begins each line for FDT: what login shells print has none of it
#   fits             the versions that an installed fdt must have to do
#   hash, size       of FDT's own jar; empty when it has none to send
#   arguments        of the far side;  compiler: an option of Java
# It prints: "shell" when it runs, "send" when it wants the jar on standard input, "fail KIND TEXT" when it gives up. Java prints the rest.
say() { printf '\n%s %s\n' "$mark" "$*"; }
fail() {
  say "fail $*"
  exit 1
}
say shell

# The feature version of a Java: that of its release file, or what it says itself.
version_of() {
  home=$(readlink -f "$1") && home=${home%/bin/java}
  version=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$home/release" 2> /dev/null)
  [ -n "$version" ] || version=$("$1" -version 2>&1 < /dev/null | sed -n '1s/.*"\(.*\)".*/\1/p')
  version=${version#1.}
  version=${version%%[!0-9]*}
}

# Sets java and version to the first Java that is new enough.
find_java() {
  seen=
  for java in ${FDT_JAVA:+"$FDT_JAVA"} ${JAVA_HOME:+"$JAVA_HOME/bin/java"} "$(command -v java)" /usr/lib/jvm/*/bin/java /usr/java/*/bin/java \
    /usr/local/*/bin/java /opt/*/bin/java /opt/java/*/bin/java "$HOME"/.sdkman/candidates/java/current/bin/java "$HOME"/.jdks/*/bin/java; do
    if [ -x "$java" ] && version_of "$java" && [ -n "$version" ]; then
      [ "$version" -lt 17 ] || return 0
      seen="$seen; $java is $version"
    fi
    [ -z "${FDT_JAVA-}" ] || break
  done
  fail "java no Java 17 or newer in ${FDT_JAVA:-JAVA_HOME, PATH, /usr/lib/jvm, /usr/java, /usr/local, /opt, ~/.sdkman, ~/.jdks}$seen"
}

is_whole() {
  [ -f "$1" ] && sum=$(sha256sum "$1" 2> /dev/null) && [ "${sum%% *}" = "$hash" ]
}

# Receives the jar under another name, checks it, and gives it its name. Prints why that fails; status 2: the jar cannot be written.
receive() (
  umask 077
  mkdir -p "$cache" 2>&1 || exit
  part=$(mktemp "$cache/.part-XXXXXX" 2>&1) || { echo "$part" && exit 1; }
  trap 'rm -f "$part"' EXIT
  trap 'exit 1' HUP INT TERM
  say send >&3 # standard output is what the caller takes for the reason
  LC_ALL=C head -c "$size" 2>&1 > "$part" || exit 2
  is_whole "$part" || { echo "what arrived is not what was sent" && exit 1; }
  mv -f "$part" "$jar" 2>&1 || exit
  # Old versions, and the rests of broken connections.
  find "$cache" -name '*.jar' -mtime +60 -exec rm -f {} +
  find "$cache" -name '.part-*' -mtime +1 -exec rm -f {} +
)

# A script of that name that knows what is asked of it; it ends with 75 when its version does not fit.
installed=$(command -v fdt) || installed=
if [ -n "$installed" ] && grep -q ssh-end "$installed" 2> /dev/null; then
  "$installed" ssh-end $arguments --fits "$fits"
  status=$?
  [ "$status" = 75 ] || exit "$status"
fi

[ -n "$hash" ] || fail "jar there is no fdt that fits ($fits), and none that could be sent: run the jar"
find_java
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/fdt/remote
jar=$cache/$hash.jar
exec 3>&1
kind=cache
is_whole "$jar" || why=$(receive) || {
  [ $? != 2 ] || kind=full
  fail "$kind $cache: $why"
}
touch -c "$jar"
options="-Dfdt.replaced=true $compiler -XX:+UseSerialGC -XX:-UsePerfData -Dio.netty.jfr.enabled=false -Djna.platform.library.path=/lib"
[ "$version" -lt 23 ] || options="$options --sun-misc-unsafe-memory-access=allow"
say start
# Native libraries are unpacked into the cache, and removed there.
exec "$java" $options -Djna.tmpdir="$cache" -Dio.netty.native.workdir="$cache" -jar "$jar" ssh-end $arguments 3>&-
