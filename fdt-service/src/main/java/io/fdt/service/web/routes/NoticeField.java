package io.fdt.service.web.routes;

import io.fdt.service.store.Notice;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The field {@code notify} of requests and answers: the chosen notices of a user. Pure. */
final class NoticeField {
  static final String NAME = "notify";
  static final String TEXT = "end, fault, deadline; default: end";

  private static final List<String> WORDS =
      Notice.ofTasks().stream().map(notice -> notice.name().toLowerCase(Locale.ROOT)).toList();

  private NoticeField() {}

  /** Reads the names of notices, separated by commas as stored. */
  static String read(Fields fields) throws ServiceException {
    List<String> names = new ArrayList<>();
    for (String word :
        fields.has(NAME) ? fields.texts(NAME, WORDS.size(), 20) : List.of(WORDS.get(0))) {
      if (!WORDS.contains(word)) {
        throw Fault.INVALID.of(
            "'%s' has '%s'; known: %s".formatted(NAME, word, String.join(", ", WORDS)));
      }
      names.add(word.toUpperCase(Locale.ROOT));
    }
    return String.join(",", names);
  }

  static List<String> view(String stored) {
    return Stream.of(stored.split(",", -1)).map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }
}
