package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.compare.FilesRun;
import io.fdt.cli.run.copy.Copier;
import io.fdt.cli.run.host.DoctorRun;
import io.fdt.cli.run.host.NettestRun;
import io.fdt.cli.run.serve.ServeRun;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.Export;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operation lines that make sense, and what they ask for. */
class SubcommandsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // FDT's flags
        "-c h -r /data                      | h:54321 PULL /data -> . dir r P4 C2 W2 bs1048576 ss0",
        "-c h -P 7 -r /data                 | h:54321 PULL /data -> . dir r P7 C2 W2 bs1048576 ss0",
        "-c h -d /in a b                    | h:54321 PUSH a b -> /in dir P4 C2 W2 bs1048576 ss0",
        "-c h -pull -d out a                | h:54321 PULL a -> out dir P4 C2 W2 bs1048576 ss0",
        "a -pull -c h b                     | h:54321 PULL a b -> . dir P4 C2 W2 bs1048576 ss0",
        "-c h -p 1 -rCount 3 -wCount 5 x    | h:1 PULL x -> . dir P4 C3 W5 bs1048576 ss0",
        "-c h -bs 64K -ss 2M x              | h:54321 PULL x -> . dir P4 C2 W2 bs65536 ss2097152",
        "-c h -limit 8Mbit/s x              | h:54321 PULL x -> . dir P4 C2 W2 bs1048576 ss0"
            + " limit1000000",
        "-c h -d x -- -r -- --              | h:54321 PUSH -r -- -- -> x dir P4 C2 W2 bs1048576"
            + " ss0",
        "-c h -d x -- -5                    | h:54321 PUSH -5 -> x dir P4 C2 W2 bs1048576 ss0",
        "-c h -d x copy                     | h:54321 PUSH copy -> x dir P4 C2 W2 bs1048576 ss0",
        "-c ::1 x                           | [::1]:54321 PULL x -> . dir P4 C2 W2 bs1048576 ss0",
        "-c [::1]:7 x                       | [::1]:7 PULL x -> . dir P4 C2 W2 bs1048576 ss0",
        "-c h:7 @x                          | h:7 PULL @x -> . dir P4 C2 W2 bs1048576 ss0",
        "-c h -d x a:b                      | h:54321 PUSH a:b -> x dir P4 C2 W2 bs1048576 ss0",
        "-c h -d=-x ./- -P=2                | h:54321 PUSH ./- -> -x dir P2 C2 W2 bs1048576 ss0",
        "-c h -d d/ x/                      | h:54321 PUSH x/ -> d/ dir P4 C2 W2 bs1048576 ss0",
        // subcommands
        "copy -r h:/data .                  | h:54321 PULL /data -> . r P4 C2 W2 bs1048576 ss0",
        "copy -P 7 h:data/ fdt://h/x out/   | h:54321 PULL /data/ /x -> out/ dir P7 C2 W2 bs1048576"
            + " ss0",
        "copy fdt://H:7/a%20b FDT://h:7/ .  | H:7 PULL /a b / -> . dir P4 C2 W2 bs1048576 ss0",
        "copy --recursive a ./b:c h:/in/    | h:54321 PUSH a ./b:c -> /in/ dir r P4 C2 W2 bs1048576"
            + " ss0",
        "copy -p 9 h:/x .                   | h:9 PULL /x -> . P4 C2 W2 bs1048576 ss0",
        "copy -p 9 fdt://h:8/x .            | h:8 PULL /x -> . P4 C2 W2 bs1048576 ss0",
        "copy --streams 2 --limit=8M h:x y  | h:54321 PULL /x -> y P2 C2 W2 bs1048576 ss0"
            + " limit8388608",
        "copy --block-size 4K [::1]:/x y    | [::1]:54321 PULL /x -> y P4 C2 W2 bs4096 ss0",
        "copy -P auto h:x y                 | h:54321 PULL /x -> y P32tuned C2tuned W2 bs1048576"
            + " ss0 auto",
        "copy -rCount auto -ss auto --congestion auto --explain h:x y"
            + " | h:54321 PULL /x -> y P4 C2tuned W2 bs1048576 ss0 auto explained",
        "-c h --congestion bbr x            | h:54321 PULL x -> . dir P4 C2 W2 bs1048576 ss0 bbr",
        "-c h -P auto x                     | h:54321 PULL x -> . dir P32tuned C2tuned W2 bs1048576"
            + " ss0 auto",
        "copy -- -x h:-y                    | h:54321 PUSH -x -> /-y P4 C2 W2 bs1048576 ss0"
      })
  void asksForATransfer(String commandLine, String expected) {
    assertThat(described(parse(commandLine))).isEqualTo(expected);
  }

  @Test
  void namesOfAnyBytesReachTheRequest() throws UsageException {
    String odd =
        ByteText.decode(new byte[] {'-', (byte) 0xFF, '\n', '"', '$', '{', 'x', '}', (byte) 0xC3});

    Copy copy =
        ((Copier)
                Subcommands.parse(
                        List.of("-c", "h", "-d", odd.substring(1), "--", odd),
                        GivenSurroundings.NONE)
                    .command())
            .copy();

    assertThat(copy.request().spec().sources().get(0).path().bytes())
        .isEqualTo(ByteText.encode(odd));
    assertThat(copy.request().spec().destination().bytes())
        .isEqualTo(ByteText.encode(odd.substring(1)));
  }

  @Test
  void aListIsAddedToTheFiles() throws UsageException {
    Surroundings files = new GivenSurroundings(Map.of("-", "b\nc / d\n"), Map.of());

    Copy copy =
        ((Copier) Subcommands.parse(List.of("-c", "h", "-fl", "-", "a"), files).command()).copy();

    assertThat(copy.request().spec().sources())
        .containsExactly(
            Operand.of(BytePath.of("a")),
            Operand.of(BytePath.of("b")),
            new Operand(BytePath.of("c"), Optional.of(BytePath.of("d"))));
  }

  @Test
  void aListHasUrlsBeneathTheSource() throws UsageException {
    Surroundings files = new GivenSurroundings(Map.of("-", "https://a/d/e/f\ng\n"), Map.of());

    Copy copy =
        ((Copier)
                Subcommands.parse(
                        List.of("copy", "--files-from", "-", "https://a/d/", "h:/in"), files)
                    .command())
            .copy();

    assertThat(copy.request().spec().sources())
        .containsExactly(
            new Operand(BytePath.of("https://a/d/e/f"), Optional.of(BytePath.of("e/f"))),
            new Operand(BytePath.of("https://a/d/g"), Optional.of(BytePath.of("g"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s h:/in      | s/a/b s/d/ s/./x s/./",
        "h:/top/ out  | /top/a/b /top/d/ /top/./x /top/./",
      })
  void aListOfACopyIsRelativeToItsSource(String operands, String paths) throws UsageException {
    Surroundings files =
        new GivenSurroundings(Map.of("list", "a/b\n# no\nd/\n./x / y z/w\n.\n"), Map.of());
    String[] words = operands.split(" ");

    Copy copy =
        ((Copier)
                Subcommands.parse(
                        List.of("copy", "-r", "--files-from", "list", words[0], words[1]), files)
                    .command())
            .copy();

    String[] path = paths.split(" ");
    assertThat(copy.request().spec().sources())
        .containsExactly(
            new Operand(BytePath.of(path[0]), Optional.of(BytePath.of("a/b"))),
            new Operand(BytePath.of(path[1]), Optional.of(BytePath.of("d/"))),
            new Operand(BytePath.of(path[2]), Optional.of(BytePath.of("y z/w"))),
            Operand.of(BytePath.of(path[3])));
    assertThat(copy.request().spec().destinationIsDirectory()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-c h -ls /data       | h:54321 | /data | true",
        "-c h -p 5 -ls=/data/ | h:5     | /data/| true",
        "ls h:/data           | h:54321 | /data | false",
        "ls -l h:             | h:54321 | /     | true",
        "ls fdt://h:5         | h:5     | /     | false",
        "ls --long fdt://h/%41| h:54321 | /A    | true"
      })
  void asksForAListing(String commandLine, String server, String path, boolean detailed) {
    assertThat(parse(commandLine))
        .isInstanceOfSatisfying(
            FilesRun.class,
            files -> {
              assertThat(files.server()).hasToString(server);
              assertThat(files.verb())
                  .isEqualTo(new FileVerb.Look(BytePath.of(path), detailed, false, false, false));
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ls -l -R -U --human h:x     | Look[path=/x, detailed=true, recursive=true, unsorted=true,"
            + " human=true]",
        "stat h:a h:b                | Stat[paths=[/a, /b]]",
        "mkdir h:a                   | MakeDirectories[paths=[/a], parents=false]",
        "mkdir -p --port 7 h:a       | MakeDirectories[paths=[/a], parents=true]",
        "rename h:a fdt://H/b        | Rename[from=/a, to=/b]",
        "rm h:a                      | Remove[paths=[/a], recursive=false, dryRun=false]",
        "rm -r h:a h:b               | Remove[paths=[/a, /b], recursive=true, dryRun=false]",
        "checksum h:a                | Digests[paths=[/a], recursive=false, checksum=CRC32C,"
            + " plain=false]",
        "checksum -r --checksum xxh3 h:a | Digests[paths=[/a], recursive=true,"
            + " checksum=XXH3, plain=false]",
        "checksum --plain h:a        | Digests[paths=[/a], recursive=false, checksum=SHA256,"
            + " plain=true]",
        "du --human h:a              | Measure[paths=[/a], human=true]"
      })
  void asksForSomethingOfFiles(String commandLine, String verb) {
    assertThat(parse(commandLine))
        .isInstanceOfSatisfying(
            FilesRun.class, files -> assertThat(files.verb()).hasToString(verb));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-c h -nettest                        | h:54321 | PUSH | 4 | 10",
        "-c h -nettest -pull --seconds 3      | h:54321 | PULL | 4 | 3",
        "nettest h                            | h:54321 | PUSH | 4 | 10",
        "nettest -P 7 h:99 --pull --seconds=1 | h:99    | PULL | 7 | 1"
      })
  void asksForATestOfTheNetwork(
      String commandLine,
      String server,
      TransferRequest.Direction direction,
      int streams,
      int seconds) {
    assertThat(parse(commandLine))
        .isInstanceOfSatisfying(
            NettestRun.class,
            nettest -> {
              assertThat(nettest.server()).hasToString(server);
              assertThat(nettest.request())
                  .isEqualTo(
                      new NettestRequest(
                          direction,
                          streams,
                          Duration.ofSeconds(seconds),
                          ByteSize.ofBytes(1 << 20),
                          ByteSize.ofBytes(0)));
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "doctor                      |           |       | ",
        "doctor --rtt 150            |           | 150.0 | ",
        "doctor --rate 1Gbit --rtt 0.2 | 125000000 | 0.2   | ",
        "doctor --rate 1Gbit/s --rtt 150ms | 125000000 | 150.0 | ",
        "doctor --rate 100MB/s h     | 100000000 |       | h:54321 3 4",
        "doctor -p 99 --seconds 1 -P 7 h | |             | h:99 1 7",
        "doctor --no-test h:7 --json |           |       | h:7 0 4"
      })
  void asksADoctor(String commandLine, Long rate, Double millis, String path) {
    assertThat(parse(commandLine))
        .isInstanceOfSatisfying(
            DoctorRun.class,
            doctor -> {
              assertThat(doctor.rate().map(BitRate::bytesPerSecond).orElse(null)).isEqualTo(rate);
              assertThat(doctor.roundTrip().map(r -> r.toNanos() / 1e6).orElse(null))
                  .isEqualTo(millis);
              assertThat(
                      doctor
                          .path()
                          .map(
                              p ->
                                  "%s %d %d"
                                      .formatted(
                                          p.server(),
                                          p.test().map(Duration::toSeconds).orElse(0L),
                                          p.streams()))
                          .orElse(null))
                  .isEqualTo(path);
              assertThat(doctor.json()).isEqualTo(commandLine.contains("--json"));
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-p 0", "-S -bs 4M -P 3"})
  void withoutExportsTheCurrentDirectoryIsTheRoot(String commandLine) {
    assertThat(serve(commandLine).exports())
        .containsExactly(new Export(null, BytePath.of("."), Export.Access.READ_WRITE));
  }

  @Test
  void serveNeedsADirectoryUnlessItIsARelay() {
    assertThatThrownBy(() -> Subcommands.parse(List.of("serve"), GivenSurroundings.NONE))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("serve DIR");
    assertThat(serve("serve --relay").exports()).isEmpty();
  }

  @Test
  void asksForAServer() {
    assertThat(serve("-p 0").port()).isZero();
    assertThat(serve("").port()).isEqualTo(54321);
    assertThat(serve("serve a --port 55000").port()).isEqualTo(55000);
    assertThat(serve("serve a --bind ::1").bind()).containsExactly("::1");
    assertThat(serve("serve a --bind ::1,10.0.0.1 --bind host").bind())
        .containsExactly("::1", "10.0.0.1", "host");
    assertThat(serve("serve a --data-port-range 5000-5010").dataPorts())
        .contains(new ServeRun.Ports(5000, 5010));
    assertThat(serve("serve a --data-port-range 5000").dataPorts())
        .contains(new ServeRun.Ports(5000, 5000));
    assertThat(serve("-p 0 --bind ::1").bind()).containsExactly("::1");
    assertThat(serve("-p 0").bind()).isEmpty();
    assertThat(serve("-S").stopAfterLastClient()).isTrue();
    assertThat(serve("serve a").stopAfterLastClient()).isFalse();
    assertThat(serve("-bs 4M -rCount 3").unusedOptions()).containsExactly("-bs", "-rCount");
  }

  @Test
  void readsExports() {
    ServeRun command =
        serve(
            "serve --export /srv/run42 --export in=/srv/incoming:rw --export x/a=b:ro --export"
                + " c=./d=e:f/");

    assertThat(command.exports())
        .containsExactly(
            export("run42", "/srv/run42", Export.Access.READ_ONLY),
            export("in", "/srv/incoming", Export.Access.READ_WRITE),
            export("a=b", "x/a=b", Export.Access.READ_ONLY),
            export("c", "./d=e:f/", Export.Access.READ_ONLY));
  }

  @Test
  void theCurrentDirectoryIsExportedUnderItsOwnName() {
    String name = Path.of("").toAbsolutePath().getFileName().toString();

    assertThat(serve("serve --export .").exports())
        .containsExactly(export(name, ".", Export.Access.READ_ONLY));
  }

  @ParameterizedTest
  @CsvSource({
    "-c h x, 0",
    "-c h x -v, 1",
    "ls -vv h:, 2",
    "copy h:x . -vvv, 3",
    "copy -v h:x -v ., 2",
    "copy -r -v -vv -r h:x . -v, 3",
    "copy -v h:x -- -v, 1",
    "serve a -v, 1",
    "-vv, 2"
  })
  void readsHowMuchToTell(String commandLine, int verbosity) throws UsageException {
    assertThat(Subcommands.parse(words(commandLine), GivenSurroundings.NONE).verbosity())
        .isEqualTo(verbosity);
  }

  @ParameterizedTest
  @CsvSource({
    "-h, help flags",
    "--help-all, -rCount",
    "help flags, -rCount",
    "--help, copy -r",
    "help, Examples:",
    "copy --help, SOURCE... DEST",
    "help ls, fdt ls",
    "ls -h, --long",
    "nettest -h, --pull",
    "serve --help, [NAME=]DIR"
  })
  void showsHelp(String commandLine, String part) {
    assertThat(parse(commandLine))
        .isInstanceOfSatisfying(Help.class, help -> assertThat(help.text()).contains(part));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                               | COPY mode times sparse",
        "--preserve none                | COPY",
        "--preserve times,mode          | COPY mode times",
        "--preserve special-bits        | COPY mode special-bits",
        "--preserve all-xattrs,acls     | COPY mode xattrs all-xattrs acls",
        "--preserve none --xattrs       | COPY xattrs",
        "--hard-links --acls --owner    | COPY mode times owner acls hard-links sparse",
        "--no-sparse --links skip       | SKIP mode times",
        "--preserve none --sparse --links follow | FOLLOW sparse",
      })
  void readsWhatIsKept(String options, String kept) {
    for (String line : List.of("copy %s h:x .", "-c h %s x")) {
      String words = line.formatted(options == null ? "" : options);
      Preservation read = ((Copier) parse(words)).copy().request().spec().preservation();
      String aspects =
          read.aspects().stream().map(aspect -> " " + aspect.text()).collect(Collectors.joining());
      assertThat(read.links() + aspects).as(words).isEqualTo(kept);
    }
  }

  private static Export export(String name, String directory, Export.Access access) {
    return new Export(FileName.of(name), BytePath.of(directory), access);
  }

  private static ServeRun serve(String commandLine) {
    return (ServeRun) parse(commandLine);
  }

  private static List<String> words(String commandLine) {
    return commandLine.isEmpty() ? List.of() : List.of(commandLine.split(" +"));
  }

  private static Command parse(String commandLine) {
    try {
      return Subcommands.parse(words(commandLine), GivenSurroundings.NONE).command();
    } catch (UsageException e) {
      throw new AssertionError(commandLine + ": " + e.getMessage(), e);
    }
  }

  private static String described(Command command) {
    Copy copy = ((Copier) command).copy();
    TransferRequest request = copy.request();
    String sources =
        request.spec().sources().stream()
            .map(s -> s.path().toString())
            .collect(Collectors.joining(" "));
    return copy.server()
        + (" " + request.direction() + " " + sources + " -> " + request.spec().destination())
        + (request.spec().destinationIsDirectory() ? " dir" : "")
        + (request.spec().recursive() ? " r" : "")
        + (" P"
            + request.spec().streams()
            + (request.spec().tuning().streams() ? "tuned" : "")
            + " C"
            + request.spec().readersPerDisk()
            + (request.spec().tuning().readers() ? "tuned" : "")
            + " W"
            + request.spec().writersPerDisk())
        + (" bs" + request.spec().blockSize() + " ss" + request.spec().socketBuffer())
        + (request.spec().tuning().congestion().isEmpty()
            ? ""
            : " " + request.spec().tuning().congestion())
        + (request.explain() ? " explained" : "")
        + (request.monitor() ? " monitored" : "")
        + (request.spec().rateLimit().isNone()
            ? ""
            : " limit" + request.spec().rateLimit().toString().replace("B/s", ""));
  }
}
