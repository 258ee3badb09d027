package io.fdt.core.tuning;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A Linux setting that affects the rate of TCP connections. */
public enum KernelSetting {
  RMEM_MAX("net.core.rmem_max", Form.NUMBERS, 1),
  WMEM_MAX("net.core.wmem_max", Form.NUMBERS, 1),
  DEFAULT_QDISC("net.core.default_qdisc", Form.WORDS, 1),
  /** Minimum, initial and maximum bytes of a receive buffer. */
  TCP_RMEM("net.ipv4.tcp_rmem", Form.NUMBERS, 3),
  /** Minimum, initial and maximum bytes of a send buffer. */
  TCP_WMEM("net.ipv4.tcp_wmem", Form.NUMBERS, 3),
  CONGESTION_CONTROL("net.ipv4.tcp_congestion_control", Form.WORDS, 1),
  AVAILABLE_CONGESTION_CONTROL("net.ipv4.tcp_available_congestion_control", Form.WORDS, 32),
  ALLOWED_CONGESTION_CONTROL("net.ipv4.tcp_allowed_congestion_control", Form.WORDS, 32),
  WINDOW_SCALING("net.ipv4.tcp_window_scaling", Form.NUMBERS, 1),
  SACK("net.ipv4.tcp_sack", Form.NUMBERS, 1),
  TIMESTAMPS("net.ipv4.tcp_timestamps", Form.NUMBERS, 1),
  SLOW_START_AFTER_IDLE("net.ipv4.tcp_slow_start_after_idle", Form.NUMBERS, 1),
  MTU_PROBING("net.ipv4.tcp_mtu_probing", Form.NUMBERS, 1),
  NO_METRICS_SAVE("net.ipv4.tcp_no_metrics_save", Form.NUMBERS, 1);

  private enum Form {
    NUMBERS("[0-9]{1,18}"),
    WORDS("[a-z0-9_.-]{1,32}");

    private final String word;

    Form(String word) {
      this.word = word;
    }
  }

  /** The longest accepted value, in characters. */
  private static final int MAX_LENGTH = 512;

  private final String key;
  private final Form form;
  private final int most;

  /**
   * @param most the maximum number of words; for numbers, the exact count
   */
  KernelSetting(String key, Form form, int most) {
    this.key = key;
    this.form = form;
    this.most = most;
  }

  /** The name for sysctl. */
  public String key() {
    return key;
  }

  /** The path beneath /proc/sys. */
  public String path() {
    return key.replace('.', '/');
  }

  /** The line of a sysctl.conf that sets it. */
  public String line(Object value) {
    return String.format(Locale.US, "%s = %s", key, value);
  }

  /** The setting of this name. */
  public static Optional<KernelSetting> ofKey(String key) {
    return Stream.of(values()).filter(setting -> setting.key.equals(key)).findFirst();
  }

  /** The normalized value read from a system or sent by a peer; empty for an implausible one. */
  public Optional<String> value(String text) {
    String value = text.length() > MAX_LENGTH ? "" : text.strip().replaceAll("[ \t\n]+", " ");
    String[] words = value.split(" ");
    boolean fits = form == Form.NUMBERS ? words.length == most : words.length <= most;
    return fits && Stream.of(words).allMatch(word -> word.matches(form.word))
        ? Optional.of(value)
        : Optional.empty();
  }
}
