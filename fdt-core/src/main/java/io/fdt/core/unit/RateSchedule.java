package io.fdt.core.unit;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rate at each minute of a week, in local time.
 *
 * <p>Written as one rate, or as windows and a rate outside of them:
 *
 * <pre>
 *   100M                                                  always
 *   off                                                   no limit
 *   09:00-18:00=100M,else=off                             every day
 *   Mon-Fri 08:00-18:00=50M,Sat 00:00-24:00=200M,22:00-06:00=1G,else=400M
 * </pre>
 *
 * A window applies from its first minute up to, but not including, its last; one that ends before
 * it begins continues past midnight, and its days are those on which it begins. Windows may not
 * overlap. Rates are those of {@link BitRate}. Immutable.
 */
public final class RateSchedule {
  /** No limit at any time. */
  public static final RateSchedule NONE = new RateSchedule("off", new long[0], 0);

  private static final String FORM =
      "write it like 100M, 500Mbit, or like 09:00-18:00=100M,else=off or Mon-Fri"
          + " 09:00-18:00=100M,else=1G";

  private static final Pattern WINDOW =
      Pattern.compile(
          "(?:([A-Za-z]+)(?:-([A-Za-z]+))? +)?([0-9]{2}):([0-9]{2})-([0-9]{2}):([0-9]{2})");

  private static final List<String> DAYS = List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");
  private static final int DAY = 24 * 60;
  private static final int WEEK = 7 * DAY;
  private static final int MAX_LENGTH = 2000;

  private final String text;

  /** The rate of each minute from Monday 00:00 on; empty for a constant rate. */
  private final long[] minutes;

  private final long otherwise;

  private RateSchedule(String text, long[] minutes, long otherwise) {
    this.text = text;
    this.minutes = minutes;
    this.otherwise = otherwise;
  }

  /** The same rate at all times. */
  public static RateSchedule always(BitRate rate) {
    return new RateSchedule(rate.bytesPerSecond() + "B/s", new long[0], rate.bytesPerSecond());
  }

  /**
   * Parses a schedule; see above.
   *
   * @throws IllegalArgumentException for an invalid schedule; the message is for the user
   */
  public static RateSchedule parse(String text) {
    if (text.indexOf('=') < 0) {
      long rate = text.contains(":") ? noRate(text) : rate(text, text);
      return rate == 0 ? NONE : always(BitRate.ofBytesPerSecond(rate));
    }
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a schedule of " + text.length() + " characters: at most " + MAX_LENGTH);
    }
    return new Parsing(text).result();
  }

  /** Bytes per second at this local time; 0 for no limit. */
  public long bytesPerSecondAt(LocalDateTime time) {
    return minutes.length == 0 ? otherwise : minutes[minuteOfWeek(time)];
  }

  /** The lowest rate at any time, in bytes per second; 0 without any limit. */
  public long leastBytesPerSecond() {
    return Arrays.stream(minutes.length == 0 ? new long[] {otherwise} : minutes)
        .filter(rate -> rate > 0)
        .min()
        .orElse(0);
  }

  /** Whether there is never a limit. */
  public boolean isNone() {
    return leastBytesPerSecond() == 0;
  }

  private static int minuteOfWeek(LocalDateTime time) {
    int day = time.getDayOfWeek().getValue() - DayOfWeek.MONDAY.getValue();
    return day * DAY + time.getHour() * 60 + time.getMinute();
  }

  private static long noRate(String text) {
    throw new IllegalArgumentException("'" + text + "' contains no rate: " + FORM);
  }

  /** Parses a rate; 0 for off. */
  private static long rate(String rate, String where) {
    if (rate.strip().toLowerCase(Locale.ROOT).equals("off")) {
      return 0;
    }
    try {
      return BitRate.parse(rate).bytesPerSecond();
    } catch (IllegalArgumentException e) {
      throw where.equals(rate)
          ? e
          : new IllegalArgumentException("in '" + where.strip() + "': " + e.getMessage(), e);
    }
  }

  /** The parser of one text. */
  private static final class Parsing {
    private static final long UNKNOWN = -1;

    private final String text;
    private final long[] minutes = new long[WEEK];
    private final String[] owners = new String[WEEK];
    private long otherwise = UNKNOWN;

    Parsing(String text) {
      this.text = text;
    }

    RateSchedule result() {
      for (String item : text.split(",", -1)) {
        item(item);
      }
      if (otherwise == UNKNOWN) {
        throw new IllegalArgumentException(
            "'" + text + "' has no rate for other times: end it with ,else=RATE or ,else=off");
      }
      for (int i = 0; i < WEEK; i++) {
        if (owners[i] == null) {
          minutes[i] = otherwise;
        }
      }
      return new RateSchedule(text, minutes, otherwise);
    }

    private void item(String item) {
      int equals = item.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException(
            "'" + item.strip() + "' is not part of a schedule: " + FORM);
      }
      String when = item.substring(0, equals).strip();
      long rate = rate(item.substring(equals + 1), item);
      if (!when.toLowerCase(Locale.ROOT).equals("else")) {
        window(when, rate);
      } else if (otherwise == UNKNOWN) {
        otherwise = rate;
      } else {
        throw new IllegalArgumentException("'" + text + "' contains else twice");
      }
    }

    private void window(String when, long rate) {
      Matcher form = WINDOW.matcher(when);
      if (!form.matches()) {
        throw new IllegalArgumentException("'" + when + "' is not a time window: " + FORM);
      }
      int start = minute(when, form.group(3), form.group(4));
      int end = minute(when, form.group(5), form.group(6));
      if (start == end || start == DAY) {
        throw new IllegalArgumentException("'" + when + "' is empty; a whole day is 00:00-24:00");
      }
      int length = end > start ? end - start : end + DAY - start;
      for (int day : days(when, form.group(1), form.group(2))) {
        for (int i = 0; i < length; i++) {
          take((day * DAY + start + i) % WEEK, when, rate);
        }
      }
    }

    private void take(int minute, String when, long rate) {
      if (owners[minute] != null) {
        String day = DAYS.get(minute / DAY);
        throw new IllegalArgumentException(
            "'%s' and '%s' overlap on %s%s at %02d:%02d"
                .formatted(
                    owners[minute],
                    when,
                    day.substring(0, 1).toUpperCase(Locale.ROOT),
                    day.substring(1),
                    minute % DAY / 60,
                    minute % 60));
      }
      owners[minute] = when;
      minutes[minute] = rate;
    }

    private static int minute(String when, String hours, String minutes) {
      int hour = Integer.parseInt(hours);
      int minute = Integer.parseInt(minutes);
      if (minute > 59 || hour * 60 + minute > DAY) {
        throw new IllegalArgumentException(
            "'" + when + "': " + hours + ":" + minutes + " is not a time of day (00:00 to 24:00)");
      }
      return hour * 60 + minute;
    }

    /** The days from the first to the last, possibly across the end of the week. */
    private static List<Integer> days(String when, String first, String last) {
      int from = first == null ? 0 : day(when, first);
      int to = first == null ? 6 : last == null ? from : day(when, last);
      List<Integer> days = new ArrayList<>();
      for (int day = from; day != to; day = (day + 1) % DAYS.size()) {
        days.add(day);
      }
      days.add(to);
      return days;
    }

    private static int day(String when, String name) {
      int day = DAYS.indexOf(name.toLowerCase(Locale.ROOT));
      if (day < 0) {
        throw new IllegalArgumentException(
            "'" + when + "': '" + name + "' is not a day (Mon, Tue, Wed, Thu, Fri, Sat, Sun)");
      }
      return day;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RateSchedule that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The text as written. */
  @Override
  public String toString() {
    return text;
  }
}
