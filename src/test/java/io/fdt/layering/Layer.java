package io.fdt.layering;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One row of the layering: a package with all beneath it, and what it may use besides itself and
 * the JDK.
 *
 * @param name the package, without the leading "io.fdt."
 * @param pure whether it has no sockets, files, clock, threads or randomness
 * @param below the layers that it may use, by name
 * @param libraries packages (with all beneath them) and classes of others that it may use
 */
record Layer(String name, boolean pure, Set<String> below, Set<String> libraries) {
  /** What SLF4J's users see of it. */
  private static final String SLF4J = "org.slf4j";

  /** Memory, and the reference counts of it, without Netty's timers and executors. */
  private static final Set<String> BUFFERS =
      Set.of(
          "io.netty.buffer",
          "io.netty.util.ByteProcessor",
          "io.netty.util.IllegalReferenceCountException",
          "io.netty.util.ReferenceCountUtil",
          "io.netty.util.ReferenceCounted");

  /** The thread that a session is confined to; it is also where what happens next is scheduled. */
  private static final String SESSION_THREAD = "io.netty.channel.EventLoop";

  /** Its clock. */
  private static final String SESSION_CLOCK = "io.netty.util.concurrent.Ticker";

  private static final Set<String> VALUES = Set.of("core.unit", "core.error", "core.model");

  private static final Set<String> ENGINE_LIBRARIES =
      and(
          BUFFERS,
          SESSION_THREAD,
          SESSION_CLOCK,
          "com.google.protobuf",
          "com.sun.management",
          SLF4J);

  /**
   * All layers, the lowest first. A layer uses only layers that stand before it.
   *
   * <p>Session, storage and transport do not know each other; the engine joins them. Client and
   * server choose a tree and a connection and hand them to the engine; the session is the engine's
   * alone. They do not know each other; the command joins them.
   */
  static final List<Layer> ALL =
      List.of(
          pure("core.unit", Set.of(), Set.of()),
          pure("core.error", Set.of("core.unit"), Set.of()),
          pure("core.model", Set.of("core.unit", "core.error"), Set.of()),
          pure("core.wire", VALUES, and(BUFFERS, "com.google.protobuf")),
          pure("core.digest", and(VALUES, "core.wire"), and(BUFFERS, "com.dynatrace.hash4j")),
          pure("core.journal", and(VALUES, "core.wire"), Set.of()),
          pure("core.spec", and(VALUES, "core.wire", "core.digest"), Set.of("com.google.protobuf")),
          pure(
              "core.session",
              and(VALUES, "core.wire", "core.digest", "core.journal", "core.spec"),
              and(BUFFERS, "com.google.protobuf", SLF4J)),
          pure("core.tuning", VALUES, Set.of(SLF4J)),
          open("core.buffer", VALUES, and(BUFFERS, SLF4J)),
          open(
              "core.compress",
              and(VALUES, "core.wire"),
              and(BUFFERS, "com.github.luben.zstd", "net.jpountz.lz4", SLF4J)),
          open("core.filter", VALUES, Set.of()),
          open("core.metrics", VALUES, Set.of(SLF4J)),
          open("core.placement", VALUES, Set.of(SLF4J)),
          open(
              "core.storage",
              and(VALUES, "core.spec", "core.buffer", "core.wire", "core.journal"),
              and(BUFFERS, SLF4J)),
          open("core.plain", and(VALUES, "core.digest", "core.storage"), BUFFERS),
          open("core.security", VALUES, Set.of("io.netty", SLF4J)),
          open(
              "core.transport",
              and(
                  VALUES,
                  "core.wire",
                  "core.buffer",
                  "core.metrics",
                  "core.placement",
                  "core.security"),
              Set.of("io.netty", "com.google.protobuf", SLF4J)),
          open("core.engine", joined(), ENGINE_LIBRARIES),
          open("core.stripe", and(joined(), "core.engine"), ENGINE_LIBRARIES),
          open("core.send", and(joined(), "core.engine"), ENGINE_LIBRARIES),
          open("core.receive", and(joined(), "core.engine"), ENGINE_LIBRARIES),
          open(
              "core.node",
              and(joined(), "core.engine", "core.stripe", "core.send", "core.receive"),
              and(BUFFERS, SESSION_THREAD, "com.google.protobuf", SLF4J)),
          open(
              "storage",
              and(
                  VALUES,
                  "core.spec",
                  "core.buffer",
                  "core.wire",
                  "core.journal",
                  "core.placement",
                  "core.storage"),
              and(BUFFERS, "com.sun.jna", SLF4J)),
          pure("udt.protocol", and(VALUES, "core.wire"), BUFFERS),
          open(
              "udt.transport",
              and(VALUES, "core.wire", "core.security", "core.transport", "udt.protocol"),
              Set.of("io.netty")),
          open(
              "server",
              endpoint(),
              and(BUFFERS, SESSION_THREAD, "com.google.protobuf", "io.prometheus.metrics", SLF4J)),
          open("client", endpoint(), and(BUFFERS, SESSION_THREAD, "com.google.protobuf", SLF4J)),
          open("nio", and(VALUES, "core.spec", "client"), Set.of()),
          pure("json", Set.of(), Set.of("tools.jackson.core")),
          open("plan", and(VALUES, "core.spec", "client", "json"), Set.of()),
          open(
              "cli",
              and(
                  VALUES,
                  "core.spec",
                  "core.filter",
                  "core.tuning",
                  "server",
                  "client",
                  "json",
                  "plan"),
              Set.of(
                  "picocli",
                  "com.sun.jna",
                  "org.jline",
                  "io.burt.jmespath",
                  SLF4J,
                  "ch.qos.logback")),
          open("http", and(VALUES, "core.storage"), BUFFERS),
          open(
              "s3",
              and(VALUES, "core.spec", "core.digest", "core.wire", "core.storage"),
              and(BUFFERS, "software.amazon.awssdk")),
          open(
              "webdav",
              and(
                  VALUES,
                  "core.wire",
                  "core.spec",
                  "core.storage",
                  "core.security",
                  "core.transport",
                  "core.node",
                  "server",
                  "http"),
              Set.of("io.netty", SLF4J)),
          open(
              "spark",
              and(VALUES, "core.spec", "client", "plan", "cli"),
              Set.of("org.apache.spark", "scala")),
          open(
              "service",
              and(VALUES, "core.spec", "core.security", "server", "client", "json"),
              Set.of(
                  "org.eclipse.jetty",
                  "org.flywaydb.core",
                  "com.nimbusds",
                  "jakarta.mail",
                  "org.eclipse.angus.mail",
                  SLF4J,
                  "ch.qos.logback")));

  /** Whether a class of ours is in this layer. */
  boolean holds(String className) {
    return isWithin("io.fdt." + name, className);
  }

  /** Whether this layer may use this class of somebody else. */
  boolean mayUseLibraryClass(String className) {
    return libraries.stream().anyMatch(library -> isWithin(library, className));
  }

  private static boolean isWithin(String packageOrClass, String className) {
    return className.equals(packageOrClass)
        || className.startsWith(packageOrClass + ".")
        || className.startsWith(packageOrClass + "$");
  }

  private static Layer pure(String name, Set<String> below, Set<String> libraries) {
    return new Layer(name, true, below, libraries);
  }

  private static Layer open(String name, Set<String> below, Set<String> libraries) {
    return new Layer(name, false, below, libraries);
  }

  /** What client and server may use: all of core but the state machines, which are the engine's. */
  private static Set<String> endpoint() {
    return and(
        VALUES,
        "core.wire",
        "core.digest",
        "core.spec",
        "core.tuning",
        "core.buffer",
        "core.filter",
        "core.metrics",
        "core.placement",
        "core.storage",
        "storage",
        "udt.transport",
        "core.journal",
        "core.plain",
        "core.security",
        "core.transport",
        "core.engine",
        "core.stripe",
        "core.send",
        "core.receive",
        "core.node");
  }

  /** What the pipelines join. */
  private static Set<String> joined() {
    return and(
        VALUES,
        "core.wire",
        "core.digest",
        "core.spec",
        "core.session",
        "core.tuning",
        "core.buffer",
        "core.compress",
        "core.metrics",
        "core.placement",
        "core.storage",
        "core.journal",
        "core.security",
        "core.transport");
  }

  private static Set<String> and(Set<String> some, String... more) {
    return Stream.concat(some.stream(), Arrays.stream(more))
        .collect(Collectors.toUnmodifiableSet());
  }
}
