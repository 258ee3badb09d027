package io.fdt.style;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.Setting;
import io.fdt.style.SourceMessages.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every message of the product's sources against CONTRIBUTING.md, "Messages". */
class MessageStyleTest {
  /** Of one file or directory: the message has its path, or what else it is about. */
  private static final Set<String> OF_A_FILE =
      Set.of(
          "BAD_NAME",
          "NOT_FOUND",
          "PERMISSION",
          "READ_ONLY",
          "SOURCE_CHANGED",
          "STORAGE_FULL",
          "WRONG_KIND");

  /** A person can do something about these; of the others, fdt explain says what. */
  private static final Set<String> WITH_REMEDY =
      Set.of(
          "BUSY",
          "FORBIDDEN",
          "IN_USE",
          "NOT_FOUND",
          "PERMISSION",
          "READ_ONLY",
          "SOURCE_CHANGED",
          "STORAGE_FULL",
          "TOO_MANY",
          "UNAUTHENTICATED",
          "UNTRUSTED",
          "WRONG_KIND");

  /** What only another program hears, or the log. */
  private static final Set<String> FOR_PROGRAMS =
      Set.of(
          "AcceptedSession",
          "AcceptedSessions",
          "ControlOnly",
          "DirectedRuns",
          "JoinedNode",
          "LocalNodeFiles",
          "PreparedSessions",
          "UnauthenticatedConnections");

  /** Texts of a library that says more than we can: what is wrong with a query or a word. */
  private static final Set<String> OF_LIBRARIES = Set.of("Database", "ParsedLine");

  private static final Set<String> OUR_EXCEPTIONS =
      Set.of(
          "FdtException",
          "IllegalArgumentException",
          "LostTaskException",
          "StoreException",
          "UsageException");

  /** What tells somebody to do something, after a comma, a colon or a semicolon or in brackets. */
  private static final Pattern REMEDY =
      Pattern.compile(
          "(^|[;:,(]|\\b(and|or|is|there)\\b) ?(please )?(add|allow|ask|bring|check|choose|copy"
              + "|exclude|fdt|give|install|its administrator can|leave|move|name|open|raise|remove"
              + "|rename|restart|run|see|start|stop|the same|try|use|wait|write)\\b"
              + "|\\bThe same copy continues|must run|--[a-z]");

  private static final List<String> LIBRARY =
      List.of("fdt-core", "fdt-storage", "fdt-udt", "fdt-server", "fdt-client", "fdt-nio");

  /**
   * Files with options in texts: the rows of the command's options, the settings, and options of
   * other programs.
   */
  private static final Set<String> WITH_OPTIONS =
      Set.of("TransferOptions.java", "Setting.java", "Pem.java", "SecretService.java");

  private static List<Message> all;

  @BeforeAll
  static void read() throws IOException {
    List<String> modules = new ArrayList<>(LIBRARY);
    modules.addAll(List.of("fdt-cli", "fdt-http", "fdt-webdav", "fdt-s3", "fdt-service"));
    all = SourceMessages.of(root(), modules);
  }

  @Test
  void theScanSeesTheMessages() {
    assertThat(all).hasSizeGreaterThan(600);
    assertThat(all).filteredOn(m -> m.code().equals("USAGE")).hasSizeGreaterThan(200);
    assertThat(flawed(text -> text.contains("is a directory"))).hasSizeGreaterThan(5);
  }

  @Test
  void aMessageIsOneLineThatIsNoSentence() {
    assertThat(flawed(text -> text.contains("\n"))).as("several lines").isEmpty();
    assertThat(flawed(text -> text.matches("(?s).*[a-z]\\.|.*\\.[\"')]")))
        .as("full stop")
        .isEmpty();
    assertThat(flawed(text -> text.matches("(?s)(The|A|An|It|This|Cannot|No|Not)\\b.*")))
        .as("capital letter")
        .isEmpty();
    assertThat(flawed(text -> text.contains("!") || text.contains("sorry")))
        .as("emotion")
        .isEmpty();
  }

  @Test
  void aMessageHasNoTextOfExceptionsThatAreNotOurs() {
    List<String> flaws = new ArrayList<>();
    for (Message message : all) {
      for (String type : message.foreign()) {
        boolean isOurs =
            type.isEmpty() || Stream.of(type.split(" \\| ")).allMatch(OUR_EXCEPTIONS::contains);
        if (!isOurs && !OF_LIBRARIES.contains(file(message))) {
          flaws.add(message.where() + " " + type + ": use IoReason, or say it in other words");
        }
      }
    }
    assertThat(flaws).isEmpty();
    assertThat(
            flawed(
                text -> text.matches("(?s).*\\b([a-z]+\\.)+[A-Z]\\w+|.*\\w(Exception|Error)\\b.*")))
        .as("names of classes")
        .isEmpty();
  }

  @Test
  void aMessageAboutAFileNamesIt() {
    assertThat(
            flawed(
                message -> OF_A_FILE.contains(message.code()),
                text ->
                    !text.contains(SourceMessages.HOLE)
                        && !text.contains("stream")
                        && !text.contains("only root")))
        .filteredOn(flaw -> !flaw.startsWith("FileDigests")) // whoever asks names it
        .filteredOn(flaw -> !flaw.startsWith("Relay.")) // of no file: of a route
        .filteredOn(flaw -> !flaw.startsWith("Deliveries."))
        .isEmpty();
  }

  @Test
  void aMessageSaysWhatToDo() {
    assertThat(
            flawed(
                message ->
                    WITH_REMEDY.contains(message.code()) && !FOR_PROGRAMS.contains(file(message)),
                text -> !isMadeElsewhere(text) && !REMEDY.matcher(text).find()))
        .filteredOn(flaw -> !flaw.startsWith("Relay.") || !flaw.contains("route"))
        .isEmpty();
  }

  @Test
  void sizesHaveOneSystemOfUnits() {
    assertThat(flawed(text -> text.matches("(?s).*\\b(KB|kB|MB|GB|TB|Kb|Mb|Gb)\\b.*")))
        .as("sizes are in KiB, MiB and GiB, rates in the same per second")
        .isEmpty();
  }

  /** Programs that embed the library have no command line: {@link Setting} names what they set. */
  @Test
  void aTextOfTheLibraryNamesNoOption() throws IOException {
    Pattern text = Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*\"");
    Pattern option = Pattern.compile("--[a-z]|(^|[ (])-(r|P|bs|ss|limit|rCount|wCount)\\b");
    List<String> flaws = new ArrayList<>();
    for (Path file : SourceMessages.sources(root(), LIBRARY)) {
      if (WITH_OPTIONS.contains(file.getFileName().toString())) {
        continue;
      }
      Matcher found = text.matcher(Files.readString(file));
      while (found.find()) {
        if (option.matcher(found.group()).find()) {
          flaws.add(file.getFileName() + ": " + found.group());
        }
      }
    }
    assertThat(flaws).isEmpty();
  }

  private static Path root() {
    return Path.of("").toAbsolutePath().getParent();
  }

  /** A message that another method makes is checked where that says it, or is a reason of ours. */
  private static boolean isMadeElsewhere(String text) {
    return text.replace(SourceMessages.HOLE, "").matches("[ :'/]*|.* in ''");
  }

  private static List<String> flawed(Predicate<String> isFlawed) {
    return flawed(message -> true, isFlawed);
  }

  private static List<String> flawed(Predicate<Message> concerns, Predicate<String> isFlawed) {
    return all.stream()
        .filter(concerns)
        .flatMap(
            message ->
                message.texts().stream()
                    .filter(isFlawed)
                    .map(text -> message.where() + " " + message.code() + ": " + text))
        .toList();
  }

  private static String file(Message message) {
    return message.where().substring(0, message.where().indexOf(".java"));
  }
}
