package io.fdt.cli.option.access;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.CongestionOption;
import io.fdt.cli.option.route.TransportOption;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.Export;
import io.fdt.server.ServerLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Authentication and authorization options of both ends. Pure. */
public final class AccessOptions {
  private static final String ACCEPT_NEW = "--accept-new";
  private static final String FINGERPRINT = "--fingerprint";
  private static final String AUTHORITY = "--tls-ca";
  private static final String CERTIFICATE = "--tls-cert";
  private static final String KEY = "--tls-key";
  private static final String RETRY_TIMEOUT = "--retry-timeout";
  private static final String TOKEN_FILE = "--token-file";
  private static final String ANONYMOUS = "--anonymous";
  private static final String ADDRESSES = "-f";
  public static final String ENCRYPT = "--encrypt";
  private static final String NO_UDP = "--no-udp";
  private static final String REQUIRE_ENCRYPTION = "--require-encryption";

  private static final String ALLOW_PRIVILEGED = "--allow-privileged";
  private static final String ALLOW_SHARED = "--allow-shared-exports";

  private static final String DIAL_TO = "--dial-to";
  private static final String SOURCE_TOKEN_FILE = "--source-token-file";
  private static final String MAX_SESSIONS = "--max-sessions";
  private static final String MAX_MEMORY = "--max-memory";

  private static final Duration DEFAULT_RETRY_TIMEOUT = Duration.ofMinutes(5);

  /** Options of clients only. */
  public static final List<String> OF_CLIENT =
      List.of(
          ACCEPT_NEW,
          FINGERPRINT,
          TOKEN_FILE,
          ENCRYPT,
          TransportOption.NAME,
          RETRY_TIMEOUT,
          ViaOptions.VIA,
          ViaOptions.RELAYS,
          ViaOptions.TOKEN_FILE);

  /** Options without which a server may be out of reach. */
  public static final List<String> OF_REACH =
      List.of(ViaOptions.VIA, ViaOptions.TOKEN_FILE, AUTHORITY, CERTIFICATE, KEY);

  /** Options of servers only. */
  public static final List<String> OF_SERVER =
      Stream.concat(
              Stream.of(
                  ANONYMOUS,
                  ADDRESSES,
                  REQUIRE_ENCRYPTION,
                  ALLOW_PRIVILEGED,
                  ALLOW_SHARED,
                  Options.NO_THIRD_PARTY,
                  NO_UDP,
                  DIAL_TO,
                  MAX_SESSIONS,
                  MAX_MEMORY),
              Stream.concat(JoinOptions.ALL.stream(), RelayOptions.ALL.stream()))
          .toList();

  /** An average: 12 at the start on a long path, up to 32 with auto-tuning. */
  private static final int STREAMS_OF_SESSION = 20;

  private AccessOptions() {}

  public static void server(CommandSpec spec) {
    Options.flag(spec, "Reject clients that do not --encrypt.", REQUIRE_ENCRYPTION);
    Options.flag(
        spec,
        "Let clients set owners, setuid, setgid and sticky bits, and all extended attributes.",
        ALLOW_PRIVILEGED);
    Options.flag(
        spec,
        "Windows: also expose directories that other users of this machine may change. They can"
            + " lead clients elsewhere.",
        ALLOW_SHARED);
    Options.choice(
        spec,
        List.of("ro", "rw"),
        "ro|rw",
        "Accept clients without a token; rw also lets them write to writable exports.",
        ANONYMOUS);
    Options.value(
        spec,
        "FILE",
        "Accept connections only from the addresses, ranges and host names in FILE, one per"
            + " line.",
        ADDRESSES,
        "--allow-from");
    Options.flag(spec, "Refuse transfers between servers.", Options.NO_THIRD_PARTY);
    Options.flag(spec, "Take data over TCP only, and do not listen on UDP.", NO_UDP);
    Options.values(
        spec,
        "RANGE",
        "Connect only to this address or range in transfers between servers; may be repeated"
            + " (default: all except loopback, link-local and multicast addresses).",
        DIAL_TO);
    RelayOptions.add(spec);
    JoinOptions.add(spec);
    Options.value(
        spec,
        "N",
        "Maximum number of simultaneous transfers (default "
            + ServerLimits.DEFAULT.sessions()
            + "); one token or address can have half of them.",
        MAX_SESSIONS);
    Options.value(
        spec,
        "SIZE",
        "Memory for blocks of all transfers together, such as 2GiB (default: three quarters"
            + " of the maximum heap).",
        MAX_MEMORY);
  }

  /** Adds the options of a client without transfers, and those of every command. */
  public static void allOfClient(CommandSpec spec) {
    client(spec);
    certificates(spec);
    Options.general(spec);
  }

  public static void client(CommandSpec spec) {
    Options.flag(spec, "Encrypt data too; control is always encrypted.", ENCRYPT);
    Options.value(
        spec,
        "FILE",
        "Present the token in FILE; the variable FDT_TOKEN does the same (default: the"
            + " server's own token, for the same host and user).",
        TOKEN_FILE);
    Options.value(spec, "SHA256:...", "Require this server key.", FINGERPRINT);
    Options.flag(
        spec,
        "Trust the key of an unknown server and remember it (default: ask at a terminal,"
            + " otherwise refuse).",
        ACCEPT_NEW);
    Options.value(
        spec,
        "SECONDS",
        "How long to reconnect to a server after a lost connection; 0: do not (default 300).",
        RETRY_TIMEOUT);
    ViaOptions.add(spec);
  }

  /** Adds tokens and keys, for a worker, which has everything else from its plan. */
  public static void worker(CommandSpec spec) {
    Options.value(
        spec,
        "FILE",
        "Present the token in FILE; the variable FDT_TOKEN does the same.",
        TOKEN_FILE);
    Options.value(
        spec,
        "FILE",
        "Between two servers: the token for that of the source; FDT_SOURCE_TOKEN does the same.",
        SOURCE_TOKEN_FILE);
    Options.value(
        spec, "SHA256:...", "Require this server key (default: that in the plan).", FINGERPRINT);
    Options.flag(
        spec, "Trust the key of a server that neither the plan nor the home knows.", ACCEPT_NEW);
  }

  /** The key that the server must have. */
  public static Optional<String> fingerprint(ParsedLine line) throws UsageException {
    Optional<String> fingerprint = line.value(FINGERPRINT);
    if (fingerprint.isPresent()) {
      OptionValue.checkFingerprint(fingerprint.get());
    }
    return fingerprint;
  }

  /** Whether an unknown server is trusted. */
  public static boolean acceptsNew(ParsedLine line) {
    return line.has(ACCEPT_NEW);
  }

  /** The file of the token. */
  public static Optional<Path> tokenFile(ParsedLine line) throws UsageException {
    return OptionValue.file(line, TOKEN_FILE);
  }

  /** The file of the token for the source's server. */
  public static Optional<Path> sourceTokenFile(ParsedLine line) throws UsageException {
    return OptionValue.file(line, SOURCE_TOKEN_FILE);
  }

  /** Adds the options of both ends. */
  public static void certificates(CommandSpec spec) {
    Options.value(
        spec, "FILE", "Require a certificate of this authority from the other end.", AUTHORITY);
    Options.value(
        spec,
        "FILE",
        "Present this certificate (PEM); without it, a server makes one.",
        CERTIFICATE);
    Options.value(spec, "FILE", "Private key of --tls-cert (PEM, PKCS#8 without password).", KEY);
  }

  public static ClientAccess clientAccess(ParsedLine line) throws UsageException {
    Optional<String> fingerprint = fingerprint(line);
    if (fingerprint.isPresent() && line.has(AUTHORITY)) {
      throw new UsageException("--fingerprint and --tls-ca: one of them says who the server is");
    }
    ViaOptions via = ViaOptions.of(line);
    ServerCertificates files = certificates(line);
    return new ClientAccess(
        fingerprint,
        line.has(ACCEPT_NEW),
        files.authority(),
        files.certificate(),
        files.key(),
        OptionValue.file(line, TOKEN_FILE),
        line.has(ENCRYPT),
        TransportOption.of(line, via),
        CongestionOption.of(line, via),
        OptionValue.duration(line, RETRY_TIMEOUT).orElse(DEFAULT_RETRY_TIMEOUT),
        via);
  }

  /** Adds the option with the token for the source's server. */
  public static void ofSource(CommandSpec spec) {
    Options.value(
        spec,
        "FILE",
        "Between two servers: present the token in FILE to SOURCE's server; the variable"
            + " FDT_SOURCE_TOKEN does the same. --token-file and FDT_TOKEN are then for DEST's"
            + " server.",
        SOURCE_TOKEN_FILE);
  }

  /** Refuses options of copies between two servers. */
  public static void checkOneServer(ParsedLine line) throws UsageException {
    if (line.has(SOURCE_TOKEN_FILE)) {
      throw new UsageException(
          SOURCE_TOKEN_FILE + " is for copies between two servers; for one it is " + TOKEN_FILE);
    }
  }

  /**
   * The access to the source's server if the destination is on another one. No server gets the
   * other one's token.
   */
  public static ClientAccess sourceAccess(ParsedLine line) throws UsageException {
    if (line.has(FINGERPRINT)) {
      throw new UsageException(
          "--fingerprint does not say which of the two servers it is for; write"
              + " fdt://HOST/PATH?fingerprint=SHA256:...");
    }
    return clientAccess(line).withTokenFile(OptionValue.file(line, SOURCE_TOKEN_FILE));
  }

  /** The files of TLS that a line names. */
  record ServerCertificates(
      Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {}

  public static ServerCertificates certificates(ParsedLine line) throws UsageException {
    Optional<Path> certificate = OptionValue.file(line, CERTIFICATE);
    Optional<Path> key = OptionValue.file(line, KEY);
    if (certificate.isPresent() != key.isPresent()) {
      throw new UsageException("--tls-cert and --tls-key go together");
    }
    return new ServerCertificates(OptionValue.file(line, AUTHORITY), certificate, key);
  }

  public static ServerAccess serverAccess(ParsedLine line) throws UsageException {
    ServerCertificates files = certificates(line);
    Optional<Export.Access> anonymous = Optional.empty();
    Optional<String> text = line.value(ANONYMOUS);
    if (text.isPresent()) {
      anonymous =
          Optional.of(
              switch (text.get()) {
                case "ro" -> Export.Access.READ_ONLY;
                case "rw" -> Export.Access.READ_WRITE;
                default -> throw new UsageException("--anonymous takes ro or rw");
              });
    }
    return new ServerAccess(
        files.authority(),
        files.certificate(),
        files.key(),
        anonymous,
        OptionValue.file(line, ADDRESSES),
        line.has(REQUIRE_ENCRYPTION),
        line.has(ALLOW_PRIVILEGED),
        line.has(ALLOW_SHARED),
        !line.has(Options.NO_THIRD_PARTY),
        !line.has(NO_UDP),
        line.values(DIAL_TO),
        RelayOptions.of(line),
        RelayOptions.offered(line),
        JoinOptions.of(line),
        limits(line));
  }

  private static ServerLimits limits(ParsedLine line) throws UsageException {
    ServerLimits limits = ServerLimits.DEFAULT;
    int sessions = OptionValue.count(line, MAX_SESSIONS, 1, 100_000, 0);
    if (sessions > 0) {
      int streams = Math.max(limits.streams(), STREAMS_OF_SESSION * sessions);
      limits = limits.withSessions(sessions).withStreams(streams);
    }
    Optional<ByteSize> memory =
        OptionValue.size(line, MAX_MEMORY, 64L << 20, 1L << 50, "64MiB and 1PiB");
    if (memory.isPresent()) {
      limits = limits.withMemoryBytes(memory.get().bytes());
    }
    return RateOptions.of(line, limits);
  }
}
