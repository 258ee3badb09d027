package io.fdt.service.task;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/**
 * A part of each day, from one time of day up to, but not including, another one; across midnight
 * if the second one is earlier. Times are milliseconds since 1970. Pure.
 *
 * <pre>
 *   22:00-06:00
 * </pre>
 */
public record DailyWindow(LocalTime from, LocalTime to, ZoneId zone) {
  /** Reads HH:MM-HH:MM; empty for anything else, and for a window without length. */
  public static Optional<DailyWindow> parse(String text, ZoneId zone) {
    String[] ends = text.split("-", -1);
    if (ends.length != 2 || !text.matches("[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}")) {
      return Optional.empty();
    }
    try {
      LocalTime from = LocalTime.parse(ends[0]);
      LocalTime to = LocalTime.parse(ends[1]);
      return from.equals(to) ? Optional.empty() : Optional.of(new DailyWindow(from, to, zone));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Whether a time is within. */
  public boolean contains(long millis) {
    LocalTime time = Instant.ofEpochMilli(millis).atZone(zone).toLocalTime();
    boolean isAfterBegin = !time.isBefore(from);
    boolean isBeforeEnd = time.isBefore(to);
    return from.isBefore(to) ? isAfterBegin && isBeforeEnd : isAfterBegin || isBeforeEnd;
  }

  /** The time itself if it is within the window; otherwise the next start of the window. */
  public long move(long millis) {
    if (contains(millis)) {
      return millis;
    }
    LocalDate day = Instant.ofEpochMilli(millis).atZone(zone).toLocalDate();
    while (true) {
      for (Instant begin : beginnings(day)) {
        long moved = begin.toEpochMilli();
        if (moved >= millis && contains(moved)) {
          return moved;
        }
      }
      day = day.plusDays(1);
    }
  }

  /**
   * The times at which the clock shows {@link #from}: two when the clock is set back; the
   * transition when the time is skipped.
   */
  private List<Instant> beginnings(LocalDate day) {
    LocalDateTime begin = day.atTime(from);
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(begin);
    return offsets.isEmpty()
        ? List.of(zone.getRules().getTransition(begin).getInstant())
        : offsets.stream().map(begin::toInstant).toList();
  }
}
