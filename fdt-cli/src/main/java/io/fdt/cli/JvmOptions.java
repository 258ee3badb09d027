package io.fdt.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The measured options of the JVM that runs a command; docs/decisions/starting.md has the reasons.
 * Pure.
 */
final class JvmOptions {
  /** Set in a JVM that has these options. */
  static final String REPLACED = "fdt.replaced";

  /**
   * The path on which JNA searches libraries other than its own; without this property, JNA runs
   * ldconfig.
   */
  static final String JNA_LIBRARIES = "jna.platform.library.path";

  /**
   * The directory of JNA's own library; without this property, JNA unpacks the one in the jar at
   * each start.
   */
  static final String JNA_OWN = "jna.boot.library.path";

  /** The path on which Netty searches its own libraries before it unpacks them. */
  private static final String NETTY_OWN = "java.library.path";

  static final String FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=1";

  /**
   * Compiles AES-GCM for UDP packets early with C2, because only C2 uses AES instructions. Parsing
   * these options takes 15 to 35 ms of each start.
   */
  private static final List<String> WITH_SECOND_COMPILER =
      List.of(
          "-XX:CompileCommand=quiet",
          "-XX:CompileCommand=CompileThresholdScaling,com.sun.crypto.provider.*::*,0.001",
          "-XX:CompileCommand=CompileThresholdScaling,sun.security.provider.*::*,0.001");

  /** The least size of a file that is compared with an older version. */
  private static final long LARGE = 8 << 20;

  /** Options that need Java's ciphers, or digests, mostly SHA-256. */
  private static final List<String> FOR_SECOND_COMPILER =
      List.of(
          "--checksum",
          "--delta",
          "--delta-from",
          "--encrypt",
          "--via",
          "--manifest",
          "--expect",
          "--check");

  private static final List<String> COMBINABLE =
      List.of(
          "-D",
          "-Xmx",
          "-Xms",
          "-Xmn",
          "-Xss",
          "-XX:MaxDirectMemorySize=",
          "-XX:MaxRAMPercentage=");

  private JvmOptions() {}

  /**
   * The options for every command; {@link #ofCompilers} has more.
   *
   * @param archive of classes
   * @param libraries the directory of the unpacked native libraries; null if there is none
   * @param javaVersion the feature version of Java
   */
  static List<String> of(Path archive, Path libraries, int javaVersion) {
    List<String> options = new ArrayList<>();
    // These versions warn of methods that Netty and Protobuf use.
    if (javaVersion >= 23) {
      options.add("--sun-misc-unsafe-memory-access=allow");
    }
    Collections.addAll(
        options,
        "-D" + REPLACED + "=true",
        "-XX:SharedArchiveFile=" + archive,
        "-Xshare:auto",
        "-Xlog:disable",
        // C2 is slow: it compiles only hot code such as SHA-256, and C1 records no profile for it.
        "-XX:Tier4InvocationThreshold=500000",
        "-XX:Tier4MinInvocationThreshold=200000",
        "-XX:Tier4CompileThreshold=800000",
        "-XX:Tier4BackEdgeThreshold=4000000",
        // C1 is quick. Methods with loops over batches are called seldom: with Java's default
        // thresholds they would be interpreted for 60,000 iterations.
        "-XX:Tier3MinInvocationThreshold=10",
        "-XX:Tier3CompileThreshold=1000",
        "-XX:Tier3BackEdgeThreshold=3000",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:-C1UpdateMethodData",
        "-XX:-C1ProfileCalls",
        "-XX:-C1ProfileVirtualCalls",
        "-XX:-C1ProfileInlinedCalls",
        "-XX:-C1ProfileBranches",
        "-XX:-C1ProfileCheckcasts",
        "-XX:+UseSerialGC",
        "-D" + JNA_LIBRARIES + "=/lib",
        // Without Flight Recorder events of Netty's buffers, whose loading takes 0.1 s.
        "-Dio.netty.jfr.enabled=false");
    if (libraries != null) {
      options.add("-D" + JNA_OWN + "=" + libraries);
      options.add("-D" + NETTY_OWN + "=" + libraries);
    }
    return options;
  }

  /** The options of the compilers that a command needs. The script dist/fdt has the same words. */
  static List<String> ofCompilers(String... arguments) {
    return isForFirstCompiler(arguments) ? List.of(FIRST_COMPILER_ONLY) : WITH_SECOND_COMPILER;
  }

  /**
   * Whether C1 is enough for a command. C2 is faster for digests other than CRC32C, and for
   * encryption in Java, which both come with URLs and buckets. A server always has both, because
   * its clients choose. The script dist/fdt has the same rule.
   */
  static boolean isForFirstCompiler(String... arguments) {
    String first = arguments.length == 0 ? "-" : arguments[0];
    boolean isServer =
        (first.startsWith("-") || first.equals("serve") || first.equals("ssh-end"))
            && !has("-c", arguments)
            && !has("--connect", arguments);
    boolean needsSecond = false;
    for (String word : arguments) {
      needsSecond |=
          word.startsWith("http://") || word.startsWith("https://") || word.startsWith("s3://");
      needsSecond |= !word.startsWith("-") && isLarge(new File(word));
    }
    for (String name : FOR_SECOND_COMPILER) {
      needsSecond |= has(name, arguments);
    }
    return !isServer && !needsSecond;
  }

  /** Whether parts of it that have changed are looked for, by SHA-256. */
  private static boolean isLarge(File file) {
    return file.length() >= LARGE && file.isFile();
  }

  private static boolean has(String name, String... arguments) {
    boolean isThere = false;
    for (String word : arguments) {
      isThere |= word.equals(name) || word.startsWith(name + "=");
    }
    return isThere;
  }

  /**
   * Whether an option of the user can be combined with these: memory and properties can. Others,
   * such as another collector, may contradict them.
   */
  static boolean goesWithOthers(String option) {
    boolean isKnown = false;
    for (String start : COMBINABLE) {
      isKnown |= option.startsWith(start);
    }
    return isKnown;
  }

  /** Options as lines of an argument file of the {@code java} command. */
  static String argumentFile(List<String> options) {
    StringBuilder lines = new StringBuilder();
    for (String option : options) {
      lines.append('"');
      lines.append(option.replace("\\", "\\\\").replace("\"", "\\\""));
      lines.append("\"\n");
    }
    return lines.toString();
  }
}
