package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.Main;
import io.fdt.cli.output.Screen;
import io.fdt.cli.process.ProcessSurroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operation lines that make no sense: one line that says why, and exit status 2. */
class UsageErrorTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-rcount 3                  | unknown option -rcount; did you mean -rCount?",
        "-c h x --pul               | unknown option --pul; did you mean -pull?",
        "-c h x -R                  | unknown option -R; did you mean -r?",
        "-c h -P7 x                 | unknown option -P7; did you mean '-P 7'?",
        "-c h -bs16M x              | unknown option -bs16M; did you mean '-bs 16M'?",
        "-c h x -frobnicate         | unknown option -frobnicate; a name that starts with a dash"
            + " goes after --",
        "-c h x --frob=1            | unknown option --frob=1",
        "-c h -5                    | unknown option -5",
        "-c h x -1e3 -- -5          | unknown option -1e3",
        "copy -k h:x .              | copy: unknown option -k",
        "copy -P h:x .              | copy: -P is the number of streams, as in -P 8; for rsync's"
            + " -P",
        "copy -P 2222 h:x .         | copy: -P is the number of streams, 1 to 128; the port is -p",
        "copy -p h:x .              | copy: -p is the port, as in -p 54321; for rsync's and scp's",
        "copy --checksum h:x .      | copy: --checksum chooses the digest: crc32c, ",
        "copy --compress ./x h:y    | copy: --compress needs a method: auto, zstd, ",
        "copy -rlptgoD h:x .        | copy: -g of -rlptgoD: write --owner for owner and group",
        "copy --inplace h:x .       | copy: --inplace: files grow under a temporary name",
        "copy --archive=1 h:x .     | copy: --archive takes no value",
        "copy --bwlimit h:x .       | copy: --bwlimit: 'h:x' is not a rate such as 10M",
        "copy --bwlimit             | copy: --bwlimit needs a value",
        "copy --exclude-from no a h:x | copy: --exclude-from no: no such file",
        "copy - h:x/                | copy: - as SOURCE has no name: write one behind '/x/'",
        "copy - x h:y               | copy: - as SOURCE needs exactly one source",
        "copy -r - h:y              | copy: - as SOURCE needs exactly one source",
        "copy --dry-run - h:y       | copy: --dry-run cannot be combined with - as SOURCE",
        "copy --delete - h:y        | copy: --delete cannot be combined with - as SOURCE",
        "copy --checksum xxh3 - h:y | copy: - as SOURCE needs --checksum crc32c or none",
        "copy -rCount auto - h:y    | copy: -rCount auto cannot be combined with - as SOURCE: one"
            + " reader",
        "copy - -                   | copy: neither side is on a server",
        "-c h -d x -                | - cannot be used here, because -d names a directory",
        "serve --exprt x            | serve: unknown option --exprt; did you mean --export?",
        "cpoy h:x .                 | did you mean copy?",
        "sevre x                    | did you mean serve?",
        "copy --chekcsum md5 h:x .  | did you mean --checksum?",
        "watch h:x                  | watch: the destination is missing: SOURCE... DEST",
        "copy -p 1 -p 2 h:x .       | -p was given more than once",
        "copy -r -v h:x . -bs       | -bs needs a value",
        "cpy h:x .                  | did you mean copy?",
        "x                          | there is no subcommand 'x'; to copy it, give a server",
        "help me                    | there is help on attach, cancel, checksum, cleanup",
        "-c h                       | nothing to do: name files",
        "-c h -r -d x               | nothing to do",
        "-c                         | -c needs a value: -c HOST",
        "-c h -d -pull x            | -d needs a value: -d DEST, but found '-pull'",
        "-c h -d -- x               | -d needs a value",
        "-c h -d -foo x             | -d needs a value: -d DEST, but found '-foo'",
        "-c h -d= x                 | -d: an empty path",
        "-c h -c i x                | -c was given more than once",
        "-c h -pull=1 x             | -pull",
        "-c -p x                    | -c needs a value",
        "-c h -P 0 x                | -P: '0' is not a whole number from 1 to 128",
        "-c h -P -1 x               | -P needs a value: -P N, but found '-1'",
        "-c h -P 129 x              | -P: '129' is not a whole number",
        "-c h -P 99999999999 x      | -P: '99999999999' is not a whole number",
        "-c h -P four x             | -P: 'four' is not a whole number",
        "-c h -P Auto x             | -P: 'Auto' is not a whole number",
        "nettest -P auto h          | nettest: -P: 'auto' is not a whole number from 1 to 128",
        "copy --congestion C:x h:x y | copy: --congestion: 'C:x' is not the name of one",
        "copy --congestion= h:x y   | copy: --congestion: the name is missing",
        "nettest -ss Auto h         | nettest: -ss: not a size: 'Auto'",
        "copy --quiet --explain h:x y | copy: --quiet and --explain contradict each other",
        "copy --quiet --monitor h:x y | copy: --quiet and --monitor contradict each other",
        "-p 1 --congestion bbr      | --congestion",
        "-c h -ls --congestion bbr x | --congestion",
        "-c h -rCount 65 x          | -rCount: '65' is not a whole number from 1 to 64",
        "-c h -wCount 0 x           | -wCount: '0' is not a whole number from 1 to 64",
        "-c h -p 0 x                | -p: '0' is not a whole number from 1 to 65535",
        "-c h -p 65536 x            | -p: '65536' is not a whole number",
        "-p 65536                   | -p: '65536' is not a whole number from 0 to 65535",
        "serve --port -1            | --port needs a value: --port PORT, but found '-1'",
        "-c h -bs 1K x              | -bs: '1K' is not between 4KiB and 64MiB",
        "-c h -bs 65M x             | -bs: '65M' is not between",
        "-c h -bs much x            | -bs: not a size: 'much'",
        "-c h -bs -4K x             | -bs needs a value: -bs SIZE, but found '-4K'",
        "-c h -bs=-4K x             | -bs: not a size: '-4K'",
        "-c h -P=-4 x               | -P: '-4' is not a whole number from 1 to 128",
        "-c h -ss 2G x              | -ss: '2G' is not between 0 and 1GiB",
        "-c h --checksum md4 x      | --checksum: 'md4' is none of crc32c, xxh3, xxh128, blake3,"
            + " sha256, sha256-tree, md5, md5-tree, sha1, sha1-tree, none",
        "-c h --checksum none --verify x | --verify compares checksums",
        "copy --verify --checksum none h:x . | copy: --verify compares checksums",
        "-c h -ls x --fsync         | --fsync cannot be combined with -ls",
        "-c h -nettest --verify     | --verify cannot be combined with -nettest",
        "-c h -nettest --dry-run    | --dry-run cannot be combined with -nettest",
        "-c h -ls / --quiet         | --quiet cannot be combined with -ls",
        "--report x                 | --report is for a client",
        "-c h -0 x                  | -0 needs -fl",
        "-c h -ls / -0              | -0 cannot be combined with -ls",
        "-0                         | -0 is for a client",
        "--update                   | --update is for a client",
        "-c h -ls / --sync size     | --sync cannot be combined with -ls",
        "copy --sync checksum --checksum none h:x . | --sync checksum compares checksums",
        "-c h -ls / --preserve all  | --preserve cannot be combined with -ls",
        "--hard-links               | --hard-links is for a client: give the server with -c HOST",
        "copy --preserve mode,x h:x . | --preserve: 'x' is none of mode, times, special-bits,"
            + " owner,",
        "copy --preserve= h:x .     | --preserve: '' is none of mode, times",
        "copy --sparse --no-sparse h:x . | --sparse and --no-sparse contradict",
        "copy --links chase h:x .   | --links: 'chase' is none of copy, follow, skip",
        "copy --sync date h:x .     | --sync: 'date' is none of exists, size, mtime",
        "copy --sync size --ignore-existing h:x . | --ignore-existing and --sync size contradict",
        "copy --delete --links follow h:x . | --delete cannot be combined with" + " --links follow",
        "copy --quiet -v h:x .      | --quiet and -v contradict each other",
        "--checksum sha256          | --checksum is for a client",
        "-c h -limit slow x         | -limit: not a rate: 'slow'",
        "-c h -limit -5 x           | -limit",
        "copy --limit 10 h:x .      | copy: --limit: ",
        "copy --limit=10 h:x .      | copy: --limit: ",
        "copy --limit               | copy: --limit needs a value: --limit RATE",
        "copy --streams=0 h:x .     | copy: --streams: '0' is not a whole number",
        "copy --block-size 1 h:x .  | copy: --block-size: '1' is not between",
        "copy --socket-buffer 2G h:x . | copy: --socket-buffer: '2G' is not between",
        "copy --readers 65 h:x .    | copy: --readers: '65' is not a whole number",
        "copy -p 1 --port 2 h:x .   | copy: --port was given more than once",
        "ls --port 65536 h:x        | ls: --port: '65536' is not a whole number",
        "copy --limit 09:00-18:00=1M h:x . | --limit: '09:00-18:00=1M' has no rate for"
            + " other times",
        "copy --limit 9-18=1M,else=off h:x . | --limit: '9-18' is not a time window: write it like",
        "serve --limit 09:00-18:00=1M,10:00-11:00=2M,else=off | --limit: '09:00-18:00' and"
            + " '10:00-11:00' overlap on Mon at 10:00",
        "serve --limit-per-client fast | --limit-per-client: not a rate: 'fast'",
        "-bs 1                      | -bs: '1' is not between",
        "-c h -S x                  | -S is for a server",
        "-c h --bind ::1 x          | --bind is for a server: start it without -c",
        "--bind=                    | --bind: an empty address",
        "token create x --expires 2020-01-01 | --expires 2020-01-01 is in the past; write"
            + " for example 7d or a later date",
        "token create x --expires 0h | --expires 0h is in the past",
        "-d x                       | -d is for a client: give the server with -c HOST",
        "-nettest                   | -nettest is for a client",
        "-c h -ls / x               | 'x' cannot be combined with -ls",
        "-c h -ls / -d x            | -d cannot be combined with -ls",
        "-c h -nettest -r           | -r cannot be combined with -nettest",
        "-c h -nettest --seconds 0  | --seconds: '0' is not a whole number from 1 to 3600",
        "-c h --seconds 3 x         | --seconds needs -nettest",
        "-c u@h x                   | user names are not supported",
        "-c h:p x                   | the port of 'h:p': 'p' is not a whole number from 1 to 65535",
        "-c [::1 x                  | the ']' is missing",
        "-c [::1]x x                | after ']' only :PORT may follow",
        "-c a/b x                   | 'a/b' is not a host name or address",
        "copy -0 x h:               | copy: -0 needs --files-from",
        "copy --files-from no/at x h: | copy: --files-from no/at: no such file",
        "copy --files-from x a b h: | --files-from needs exactly one source",
        "-c h -fl nowhere/at/all    | -fl nowhere/at/all: no such file",
        "copy                       | a source and a destination are needed",
        "copy h:x                   | the destination is missing",
        "copy a b                   | neither side is on a server",
        "copy h:x i:y .             | sources on two servers, h:54321 and i:54321",
        "copy h:x fdt://h:1/y .     | sources on two servers",
        "copy h:x y .               | all sources must be on the same server",
        "copy x h:y .               | neither side is on a server",
        "copy h:x y h:z             | all sources must be on the same server",
        "copy x h:y h:z             | some sources are on a server and some are local",
        "copy --fingerprint SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= h:x i:y | which of"
            + " the two servers",
        "copy --source-token-file f h:x y | is for copies between two servers",
        "copy --pre-filter A h:x i:y | runs where files are",
        "copy :x .                  | the host is missing before ':'; a local file is written ./:x",
        "copy http://h/x -          | neither side is on a server",
        "copy http://h/x y .        | neither side is on a server",
        "copy http://u:p@h/x .      | copy: a URL has a password, which others can see",
        "copy --detach http://h/x . | is for copies between two servers",
        "copy --reverse http://h/x . | neither side is on a server",
        "copy --transport udt http://h/x . | does not work with copies to a directory",
        "copy fdt:///x .            | the host is missing",
        "copy fdt://::1/x .         | an IPv6 address needs brackets",
        "copy ::1:/x .              | an IPv6 address needs brackets: [::1]:/PATH",
        "copy 2001:db8::1:/x .      | an IPv6 address needs brackets",
        "copy fdt://h/%zz .         | two hex digits must follow %",
        "copy fdt://h/%4 .          | two hex digits must follow %",
        "copy fdt://h/%00 .         | NUL",
        "copy fdt://h:0/x .         | is not a whole number from 1 to 65535",
        "ls                         | exactly one path on a server",
        "ls h:a h:b                 | exactly one path on a server",
        "ls /tmp                    | '/tmp' is on this machine",
        "stat                       | a path on a server is needed: stat host:/path",
        "stat -R h:a                | unknown option -R",
        "mkdir                      | a path on a server is needed: mkdir host:/path",
        "rename h:a                 | two paths are needed: rename host:/from host:/to",
        "rename h:a i:b             | all paths must be on the same server",
        "rm                         | a path on a server is needed: rm host:/path",
        "rm -R h:a                  | unknown option -R",
        "checksum --checksum none h:a | --checksum none leaves nothing to show",
        "checksum --checksum md4 h:a  | 'md4' is none of",
        "du --json=1 h:a            | --json",
        "copy --transport udt --congestion bbr x h: | --congestion bbr: the sender sends over UDP",
        "copy --transport udt,tcp --via r --congestion bbr,cubic x h: | the sender sends over UDP",
        "copy --transport tcp,udt --via r --congestion bbr h:x y | the sender sends over UDP",
        "copy --offset x h:a b      | --offset: not a size: 'x'",
        "copy --length -1 h:a b     | --length needs a value",
        "copy --offset 1 a h:b      | --offset and --length are for files that come from a server",
        "copy --offset 1 h:a h:b c  | --offset needs exactly one source that is a file",
        "copy --length 1 --update h:a b | --update cannot be combined with --length",
        "copy --fsync h:a -         | --fsync cannot be combined with - as DEST",
        "nettest                    | exactly one server is needed",
        "nettest h -r               | unknown option -r",
        "doctor a b                 | one server at the most: doctor [HOST[:PORT]]",
        "doctor h:99999:/path       | is not a whole number from 1 to 65535",
        "cp h:a                     | copy: the destination is missing",
        "mv a b                     | there is no subcommand 'mv'; did you mean" + " rename?",
        "mkdir -p 46001 h:/d        | mkdir: -p is --parents here; write --port 46001, or"
            + " host:46001",
        "ls -lx h:/d                | ls: unknown option -lx",
        "ls h:46001/d               | ls: 'h:46001/d': for a port write h:46001:/d, for a dir",
        "-c h:1:/d -ls /            | -c names a server only: write -c h:1, and '/d' among the",
        "doctor --rate 1G           | add --rtt MS, or a server",
        "copy --offset 1K -u h:/a b | -u cannot be combined with --offset",
        "doctor --rate 1X h         | --rate: unknown unit 'X'",
        "doctor --rtt 0             | --rtt: '0' is not a time in milliseconds, such as 150 or 0.2",
        "doctor --rtt 2s            | --rtt: '2s' is not a time in milliseconds",
        "doctor --seconds 3         | --seconds needs a server",
        "doctor --no-test           | --no-test needs a server",
        "doctor -P 7                | -P needs a server",
        "doctor -P auto h           | doctor: -P: 'auto' is not a whole number from 1 to 128",
        "doctor --seconds 0 h       | --seconds: '0' is not a whole number from 1 to 3600",
        "doctor --no-test --seconds 3 h | --no-test and --seconds contradict each other",
        "serve x /y/x               | serve: two exports are called 'x'",
        "explain                    | explain: exactly one exit status or code is needed",
        "sync a b h:c               | sync: one source and a destination are needed",
        "sync --detach h:a g:b      | sync: --detach cannot be combined with sync; use copy -r"
            + " --delete",
        "serve --bind=              | an empty address",
        "serve --bind a,            | an empty address",
        "serve --data-port-range 9-8 | --data-port-range: '9-8' is no range: LOW-HIGH",
        "serve --data-port-range x  | --data-port-range",
        "serve --export a --export b/a | two exports are called 'a'",
        "serve --export =x          | empty name",
        "serve --export a/b=c --export ..=x | name that leads elsewhere",
        "serve --export x=          | an empty path",
        "serve --export /           | the export needs a name; write --export NAME=DIR",
        "serve --export ..          | the export needs a name",
        "serve --export a/../.      | the export needs a name"
      })
  void saysWhatIsWrong(String commandLine, String message) {
    assertThat(run(commandLine.split(" +"))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("fdt: ")
        .contains(message)
        .endsWith("--help)\n")
        .containsOnlyOnce("\n");
    assertThat(out.size()).isZero();
  }

  @Test
  void emptyOperandsAreNoPaths() {
    assertThat(run("-c", "h", "")).isEqualTo(2);
    assertThat(run("copy", "h:x", "")).isEqualTo(2);
    assertThat(run("ls", "")).isEqualTo(2);
  }

  @Test
  void aNameCannotForgeALine() {
    assertThat(run("ls", "a\nfdt all is well\u001b[2J")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .containsOnlyOnce("\n")
        .contains("a\\nfdt all is well\\u001b[2J");
  }

  @Test
  void aListThatNamesNothingIsNoRequest(@TempDir Path directory) throws Exception {
    Path list = Files.writeString(directory.resolve("list"), "# nothing\n\n");

    assertThat(run("-c", "h", "-fl", list.toString())).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("the list names no files");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/etc/passwd | line 2: '/etc/passwd' is not relative to the source 's'",
        "https://h/x | line 2: 'https://h/x' is not relative to the source 's'",
        "a/../b      | line 2: 'a/../b': ",
        "a / b / c   | line 2: more than one ' / '",
      })
  void aListThatLeadsElsewhereIsRefusedWithItsLine(
      String line, String message, @TempDir Path directory) throws Exception {
    Path list = Files.writeString(directory.resolve("list"), "fine\n" + line + "\n");

    assertThat(run("copy", "--files-from", list.toString(), "s", "h:")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("copy: --files-from " + list + " " + message);
  }

  private int run(String... arguments) {
    return Main.run(
        List.of(arguments),
        new CommandContext(
            new ProcessSurroundings(), new Screen(out, err, false), ExitHooks.OF_PROCESS));
  }
}
