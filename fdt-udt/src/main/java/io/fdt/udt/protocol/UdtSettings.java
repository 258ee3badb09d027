package io.fdt.udt.protocol;

/**
 * The limits of one end of a connection; the handshake takes the shorter segment of both.
 *
 * @param segment longest packet in bytes, with 28 for IP and UDP: 548 to 65,535
 * @param window packets in flight, and received packets kept for an application that does not read;
 *     256 to {@link #MOST_WINDOW}. Memory: each packet's length, at each end
 */
public record UdtSettings(int segment, int window) {
  /** The largest window: 190 MB at each end. */
  public static final int MOST_WINDOW = 131_072;

  /**
   * 131,072 packets of 1,456 bytes are 1 Gbit/s x 1.5 s: enough for 380 ms if a packet is lost
   * three times. The memory that all windows share limits it before that.
   */
  public static final int DEFAULT_WINDOW = MOST_WINDOW;

  /** The default segment, which fits into Ethernet's 1,500 bytes. */
  public static final int DEFAULT_SEGMENT = 1500;

  /** The segment for jumbo frames of 9,000 bytes. */
  public static final int JUMBO_SEGMENT = 9000;

  /** The segment that all IPv6 paths, and nearly all IPv4 paths, support. */
  public static final int SAFE_SEGMENT = 1280;

  public static final UdtSettings DEFAULT = new UdtSettings(DEFAULT_SEGMENT, DEFAULT_WINDOW);

  public UdtSettings {
    if (segment < 548 || segment > 65_535) {
      throw new IllegalArgumentException("segment=" + segment + ", not 548 to 65535");
    }
    if (window < 256 || window > MOST_WINDOW) {
      throw new IllegalArgumentException("window=" + window + ", not 256 to " + MOST_WINDOW);
    }
  }

  /** The same with other segments. */
  public UdtSettings withSegment(int bytes) {
    return new UdtSettings(bytes, window);
  }
}
