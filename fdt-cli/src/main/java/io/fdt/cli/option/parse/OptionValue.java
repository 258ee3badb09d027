package io.fdt.cli.option.parse;

import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.core.model.Affinity;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.PathStyle;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.unit.ValueText;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads values of options and checks their ranges. Pure. */
public final class OptionValue {
  /** The value of an option whose best value is tuned during the transfer. */
  public static final String AUTO = "auto";

  private OptionValue() {}

  /** The port of a server. */
  public static int port(ParsedLine line) throws UsageException {
    return port(line, Options.PORT);
  }

  /** The port that an option gives. */
  public static int port(ParsedLine line, String option) throws UsageException {
    return count(line, option, 1, 65535, FdtClient.DEFAULT_PORT);
  }

  /** The path of an operand or an option; never empty. */
  public static BytePath path(String what, String text) throws UsageException {
    if (text.isEmpty()) {
      throw new UsageException(what + ": an empty path");
    }
    return read(what, () -> ByteText.path(BytePath.STYLE.slashed(text)));
  }

  /** The file of this machine that an option names. */
  public static Optional<Path> file(ParsedLine line, String option) throws UsageException {
    Optional<String> text = line.value(option);
    return text.isEmpty() ? Optional.empty() : Optional.of(file(line.typed(option), text.get()));
  }

  /** Refuses a text that is not a fingerprint. */
  public static void checkFingerprint(String text) throws UsageException {
    try {
      ServerTrust.pinned(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** The whole number that an option gives, from {@code least} to {@code most}. */
  public static int count(ParsedLine line, String option, int least, int most, int otherwise)
      throws UsageException {
    Optional<String> text = line.value(option);
    return text.isEmpty() ? otherwise : count(line.typed(option), text.get(), least, most);
  }

  /** The amount of data that an option gives, within a range in bytes. */
  public static Optional<ByteSize> size(
      ParsedLine line, String option, long leastBytes, long mostBytes, String range)
      throws UsageException {
    Optional<String> text = line.value(option);
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(size(line.typed(option), text.get(), leastBytes, mostBytes, range));
  }

  /** The length of time that an option gives. */
  public static Optional<Duration> duration(ParsedLine line, String option) throws UsageException {
    Optional<String> text = line.value(option);
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(duration(line.typed(option), text.get()));
  }

  /** The rate, or schedule of rates, that an option gives. */
  public static Optional<RateSchedule> rates(ParsedLine line, String option) throws UsageException {
    Optional<String> text = line.value(option);
    return text.isEmpty() ? Optional.empty() : Optional.of(rates(line.typed(option), text.get()));
  }

  /** Reads a value; one that cannot be read is a usage error. */
  public static <T> T read(String what, Supplier<T> value) throws UsageException {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw new UsageException(what + ": " + e.getMessage());
    }
  }

  /** The processors for threads; automatic without the option. */
  public static Affinity affinity(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(Options.AFFINITY);
    return text.isEmpty()
        ? Affinity.AUTO
        : read(Options.AFFINITY, () -> Affinity.parse(text.get()));
  }

  /** A whole number from {@code least} to {@code most}. */
  public static int count(String what, String text, int least, int most) throws UsageException {
    return read(what, () -> ValueText.count(text, least, most));
  }

  /** An amount of data, for example 64K or 1MiB, within a range in bytes. */
  public static ByteSize size(
      String what, String text, long leastBytes, long mostBytes, String range)
      throws UsageException {
    return read(what, () -> ValueText.size(text, leastBytes, mostBytes, range));
  }

  /** The name of a congestion control; the sender's system checks whether it exists. */
  public static String congestion(String what, String text) throws UsageException {
    if (text.isEmpty()) {
      throw new UsageException(
          what + ": the name is missing; write for example cubic, bbr or auto");
    }
    try {
      return new Tuning(false, 0, false, text).congestion();
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          what + ": '" + text + "' is not the name of one; write for example cubic, bbr or auto");
    }
  }

  /** A file of this machine; the locale does not change the bytes of its name. */
  public static Path file(String what, String text) throws UsageException {
    try {
      byte[] name = ByteText.encode(text);
      return text.chars().allMatch(c -> c < 0x80) ? Path.of(text) : fileOfBytes(name);
    } catch (IllegalArgumentException | IOException e) {
      throw new UsageException(what + ": '" + text + "' is not a valid file name");
    }
  }

  /** A path with bytes other than ASCII, made from a URI, which is independent of the locale. */
  private static Path fileOfBytes(byte[] name) throws IOException {
    if (BytePath.STYLE == PathStyle.WINDOWS) {
      return Path.of(ByteText.decode(name));
    }
    boolean isAbsolute = name[0] == '/';
    Path here = Path.of("").toRealPath();
    StringBuilder uri = new StringBuilder(isAbsolute ? "file://" : here.toUri().toString());
    for (byte b : name) {
      boolean isPlain = b == '/' || (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9');
      uri.append(isPlain ? String.valueOf((char) b) : "%%%02x".formatted(b));
    }
    Path path = Path.of(URI.create(uri.toString()));
    boolean isWithin = !isAbsolute && path.normalize().equals(path);
    return isWithin ? here.relativize(path) : path;
  }

  /** A rate of data, for example 500Mbit/s. */
  public static long rate(String what, String text) throws UsageException {
    return read(what, () -> BitRate.parse(text).bytesPerSecond());
  }

  /** A rate of data, for example 500Mbit/s, or a schedule of rates. */
  public static RateSchedule rates(String what, String text) throws UsageException {
    return read(what, () -> RateSchedule.parse(text));
  }

  /** A length of time, for example 90s, 5m, 12h or 7d; a number alone is seconds. */
  public static Duration duration(String what, String text) throws UsageException {
    return read(what, () -> ValueText.duration(text));
  }
}
