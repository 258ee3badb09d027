package io.fdt.cli.option.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A command line with settings from elsewhere in front of its words. Immutable.
 *
 * <p>A setting without meaning for the line is dropped, such as the number of streams for a
 * listing. An error message about a setting names its place.
 */
public final class LayeredLine {
  /** Reads a line with the settings in front of its words. */
  @FunctionalInterface
  public interface Reading<T> {
    T of(List<String> words) throws UsageException;
  }

  private final List<Setting> settings;
  private final List<String> words;

  public LayeredLine(List<Setting> settings, List<String> words) {
    this.settings = List.copyOf(settings);
    this.words = List.copyOf(words);
  }

  /** Reads the line. */
  public <T> T read(Reading<T> reading) throws UsageException {
    List<Setting> used = new ArrayList<>(settings);
    while (true) {
      try {
        return reading.of(words(used));
      } catch (UsageException e) {
        if (!used.removeIf(setting -> setting.option().equals(e.superfluousOption()))) {
          throw located(e, used, reading);
        }
      }
    }
  }

  /**
   * The error with the place of the wrong setting: the last setting without which the line can be
   * read; if several are wrong, the first. Unchanged if the line itself is wrong.
   */
  private <T> UsageException located(UsageException flaw, List<Setting> used, Reading<T> reading) {
    for (int i = used.size() - 1; i >= 0; i--) {
      List<Setting> others = new ArrayList<>(used);
      others.remove(i);
      if (flaw(others, reading).isEmpty()) {
        return at(used.get(i), flaw);
      }
    }
    Optional<UsageException> ofLine = flaw(List.of(), reading);
    for (int count = 1; count <= used.size() && ofLine.isEmpty(); count++) {
      Optional<UsageException> first = flaw(used.subList(0, count), reading);
      if (first.isPresent()) {
        return at(used.get(count - 1), first.get());
      }
    }
    return flaw;
  }

  private static UsageException at(Setting setting, UsageException flaw) {
    return new UsageException(setting.where() + ": " + flaw.getMessage());
  }

  private <T> Optional<UsageException> flaw(List<Setting> first, Reading<T> reading) {
    try {
      T unused = reading.of(words(first));
      return Optional.empty();
    } catch (UsageException e) {
      return Optional.of(e);
    }
  }

  private List<String> words(List<Setting> first) {
    List<String> all = new ArrayList<>();
    first.forEach(setting -> all.addAll(setting.words()));
    all.addAll(words);
    return all;
  }
}
