package io.fdt.core.transport;

/**
 * Gives each stream of a {@link Fan} its number of connections, so that their sum is right also
 * when streams are lost and others take their place. Thread-safe.
 */
public final class FanPlaces {
  private final Fan fan;
  private final int[] streams;

  public FanPlaces(Fan fan) {
    this.fan = fan;
    this.streams = new int[fan.streams()];
  }

  /**
   * A place for a stream.
   *
   * @param number to give back
   * @param connections that the stream has
   */
  public record Place(int number, int connections) {}

  /** Takes the place that the fewest streams have. */
  public synchronized Place take() {
    int best = 0;
    for (int i = 1; i < streams.length; i++) {
      if (streams[i] < streams[best]) {
        best = i;
      }
    }
    streams[best]++;
    return new Place(best, fan.ofPlace(best));
  }

  /** Gives one back, once. */
  public synchronized void giveBack(Place place) {
    streams[place.number()]--;
  }
}
