package io.fdt.core.error;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A setting that a message advises, in the words of a Java program: {@code
 * FdtClient.encryptData(true)}. The command shows its option in place of it, {@code --encrypt}
 * ({@link #asOptions}), also where the message comes from another machine.
 */
public enum Setting {
  BACKUPS("TransferRequest.backups", "--backup-dir"),
  BLOCK_SIZE("TransferRequest.blockSize", "-bs"),
  CHANGING("TransferRequest.changing", "--changing"),
  NAMES("TransferRequest.names", "--names"),
  CHECKSUM("TransferRequest.checksum", "--checksum"),
  COMPRESSION("TransferRequest.compression", "--compress"),
  CONGESTION("TransferRequest.congestion", "--congestion"),
  DELETE("TransferRequest.delete(true)", "--delete"),
  DELETE_FROM_EMPTY("TransferRequest.deleteFromEmpty(true)", "--delete-from-empty"),
  DELTA_FROM("TransferRequest.deltaFrom", "--delta-from"),
  FSYNC("TransferRequest.fsync(true)", "--fsync"),
  INPUT("TransferRequest.input", "fdt copy - DEST < FILE"),
  LINKS("Preservation.withLinks", "--links"),
  MAX_DELETE("TransferRequest.maxDelete", "--max-delete"),
  PART("TransferRequest.part", "--offset and --length"),
  READERS("TransferRequest.readersPerDisk", "--readers"),
  RECURSIVE("TransferRequest.recursive(true)", "-r"),
  SELECTION("TransferRequest.selection", "--exclude"),
  SOCKET_BUFFER("TransferRequest.socketBuffer", "-ss"),
  STREAMS("TransferRequest.streams", "-P"),
  SYNC("TransferRequest.sync", "--sync"),
  TUNE_STREAMS("TransferRequest.tuneStreams", "-P auto"),
  VERIFY("TransferRequest.verify(true)", "--verify"),
  WRITERS("TransferRequest.writersPerDisk", "--writers"),

  ACCEPT_NEW("FirstContact.ACCEPT", "--accept-new"),
  CERTIFICATE("FdtClient.certificate", "--tls-cert and --tls-key"),
  DATA_TRANSPORT("FdtClient.dataTransport", "--transport"),
  DIGEST_TREE("RemoteFiles.checksum(recursive)", "-r"),
  ENCRYPTION("FdtClient.encryptData(true)", "--encrypt"),
  FILTER_PATH("Filters.load", "--filter-path"),
  FINGERPRINT("ServerTrust.pinned", "--fingerprint"),
  LOGIN("Logins.add", "fdt login"),
  RELAY_TOKEN("FdtClient.via(token)", "--via-token-file FILE or FDT_RELAY_TOKEN"),
  REMOVE_TREE("RemoteFiles.remove(recursive)", "-r"),
  TOKEN("FdtClient.token", "--token-file FILE or FDT_TOKEN"),
  VIA("FdtClient.via", "--via"),

  ALLOW_PRIVILEGED("FdtServer.allowPrivileged(true)", "--allow-privileged"),
  ALLOW_SHARED("FdtServer.allowSharedExports(true)", "--allow-shared-exports"),
  DIAL_TO("FdtServer.dialTo", "--dial-to"),
  JOIN("FdtServer.join", "--join"),
  RELAY("FdtServer.relay(true)", "--relay"),
  RELAY_TO("FdtServer.relayTo", "--relay-to"),
  SPOOL("FdtServer.spool", "--spool DIR:SIZE"),
  WITHOUT_THIRD_PARTY("FdtServer.thirdParty(false)", "--no-third-party"),
  WITHOUT_UDP("FdtServer.udp(false)", "--no-udp");

  private static final Pattern CALL = Pattern.compile("\\b([A-Z]\\w+\\.\\w+)(?:\\(([^()']*)\\))?");

  private static final Map<String, Setting> BY_CALL =
      Arrays.stream(values()).collect(Collectors.toMap(Setting::toString, s -> s));

  private final String call;
  private final String option;

  Setting(String call, String option) {
    this.call = call;
    this.option = option;
  }

  /** As a program sets it: the class that it begins with, and the method. */
  @Override
  public String toString() {
    return call;
  }

  /** With the value that is advised. */
  public String with(Object value) {
    return call + "(" + value + ")";
  }

  /** As users of the command set it. */
  public String option() {
    return option;
  }

  /** A message in words of the command. */
  public static String asOptions(String message) {
    return shown(message, Setting::option);
  }

  /**
   * A message with other names of settings; a value follows its name.
   *
   * @param name of a setting; null to leave it as it is
   */
  public static String shown(String message, Function<Setting, String> name) {
    return CALL.matcher(message).replaceAll(call -> Matcher.quoteReplacement(shown(call, name)));
  }

  private static String shown(MatchResult call, Function<Setting, String> name) {
    Setting whole = BY_CALL.get(call.group());
    Setting setting = whole == null ? BY_CALL.get(call.group(1)) : whole;
    String other = setting == null ? null : name.apply(setting);
    if (other == null) {
      return call.group();
    }
    return whole != null ? other : other + " " + call.group(2);
  }
}
