package io.fdt.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The measured options of the JVM that runs a command; docs/decisions/starting.md has why. Pure.
 */
final class JvmOptions {
  /** Set in a JVM that has these options. */
  static final String REPLACED = "fdt.replaced";

  /** Where JNA looks for libraries, of which we load none; unless told it runs ldconfig. */
  static final String JNA_LIBRARIES = "jna.platform.library.path";

  /** Where JNA finds its own library; otherwise it unpacks that of the jar at each start. */
  static final String JNA_OWN = "jna.boot.library.path";

  /** Where Netty looks for its own libraries before it does the same. */
  private static final String NETTY_OWN = "java.library.path";

  static final String FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=1";

  /**
   * Only the second compiler has the instructions for AES-GCM, which packets over UDP need: it
   * compiles that early. Reading these takes 15 to 35 ms of each start.
   */
  private static final List<String> WITH_SECOND_COMPILER =
      List.of(
          "-XX:CompileCommand=quiet",
          "-XX:CompileCommand=CompileThresholdScaling,com.sun.crypto.provider.*::*,0.001");

  /** Options that bring ciphers of Java, or digests: mostly SHA-256, unless told otherwise. */
  private static final List<String> FOR_SECOND_COMPILER =
      List.of("--checksum", "--encrypt", "--via", "--manifest", "--expect", "--check");

  private JvmOptions() {}

  /**
   * The options that do for every command; {@link #ofCompilers} has more.
   *
   * @param archive of classes
   * @param libraries the directory of the unpacked native libraries; null if there is none
   * @param javaVersion the feature version of Java
   */
  static List<String> of(Path archive, Path libraries, int javaVersion) {
    List<String> options = new ArrayList<>();
    // Netty and Protobuf use what these versions warn of.
    if (javaVersion >= 23) {
      options.add("--sun-misc-unsafe-memory-access=allow");
    }
    Collections.addAll(
        options,
        "-D" + REPLACED + "=true",
        "-XX:SharedArchiveFile=" + archive,
        "-Xshare:auto",
        "-Xlog:disable",
        // The second compiler takes long: it is left to what runs very often, as SHA-256 does,
        // and the first one writes nothing down for it.
        "-XX:Tier4InvocationThreshold=500000",
        "-XX:Tier4MinInvocationThreshold=200000",
        "-XX:Tier4CompileThreshold=800000",
        "-XX:Tier4BackEdgeThreshold=4000000",
        // The first one is quick, and much of what runs often is loops over batches, which are
        // called seldom: Java's own thresholds let them be interpreted for 60,000 rounds.
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
        // Events of Netty's buffers for the flight recorder: loading it takes a tenth of a second.
        "-Dio.netty.jfr.enabled=false");
    if (libraries != null) {
      options.add("-D" + JNA_OWN + "=" + libraries);
      options.add("-D" + NETTY_OWN + "=" + libraries);
    }
    return options;
  }

  /** Those for one command: which compilers it needs. The script dist/fdt has the same words. */
  static List<String> ofCompilers(String... arguments) {
    return isForFirstCompiler(arguments) ? List.of(FIRST_COMPILER_ONLY) : WITH_SECOND_COMPILER;
  }

  /**
   * Whether the first compiler does for a command: the second one is for digests, of which it knows
   * all but CRC32C better, and for encryption where that is left to Java. A server learns only from
   * its clients what they want. The script dist/fdt has the same rule.
   */
  static boolean isForFirstCompiler(String... arguments) {
    boolean isServer =
        arguments.length == 0
            || arguments[0].startsWith("-")
            || arguments[0].equals("serve")
            || arguments[0].equals("ssh-end");
    boolean needsSecond = false;
    for (String argument : arguments) {
      isServer &= !isOption(argument, "-c") && !isOption(argument, "--connect");
      needsSecond |= FOR_SECOND_COMPILER.stream().anyMatch(name -> isOption(argument, name));
    }
    return !isServer && !needsSecond;
  }

  private static boolean isOption(String argument, String name) {
    return argument.equals(name) || argument.startsWith(name + "=");
  }

  /**
   * Whether an option of the user goes with these: memory and properties do. Others, such as
   * another collector, may contradict them.
   */
  static boolean goesWithOthers(String option) {
    return option.startsWith("-D")
        || option.startsWith("-Xmx")
        || option.startsWith("-Xms")
        || option.startsWith("-Xmn")
        || option.startsWith("-Xss")
        || option.startsWith("-XX:MaxDirectMemorySize=")
        || option.startsWith("-XX:MaxRAMPercentage=");
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
