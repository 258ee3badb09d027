package io.fdt.cli.monitor;

import io.fdt.cli.output.Table;
import io.fdt.cli.output.TerminalText;
import io.fdt.cli.output.text.ProgressLine;
import io.fdt.client.TransferProgress;
import io.fdt.core.model.LineText;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Detail;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.StreamState;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.NumberText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/**
 * The page of a monitor. A small terminal shows only the more important parts:
 *
 * <pre>
 *   title, progress      always
 *   rates, plot          the plot takes the remaining lines
 *   limit, counts
 *   ends, disks, streams
 *   messages
 *   keys                 always
 * </pre>
 *
 * <p>Pure; not thread-safe.
 */
final class MonitorPage {
  private static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
  private static final int MOST_MESSAGES = 4;

  /** The smallest table: headings, and a disk at each end. */
  private static final int FEW_ROWS = 3;

  /** The lines of everything but growing tables and the plot. */
  private static final int FIXED_LINES = 12;

  private static final int LEAST_PLOT = 3;
  private static final int MOST_PLOT = 16;

  private final MonitorState state;
  private final int width;
  private final boolean colours;
  private final boolean unicode;
  private int left;

  private MonitorPage(MonitorState state, int width, int height, boolean colours, boolean unicode) {
    this.state = state;
    this.width = width;
    this.left = height;
    this.colours = colours;
    this.unicode = unicode;
  }

  /**
   * The lines of a page.
   *
   * @param width columns, 1 or more
   * @param height lines, 1 or more: as many as there are in the result
   * @param colours whether to use colours and bold letters
   * @param unicode whether the terminal has more than ASCII
   */
  static List<AttributedString> lines(
      MonitorState state, int width, int height, boolean colours, boolean unicode) {
    return new MonitorPage(state, width, height, colours, unicode).lines(height);
  }

  private List<AttributedString> lines(int height) {
    List<AttributedString> progress = take(true, line(progress(), PLAIN));
    List<AttributedString> keys = take(true, line(keys(), bold()));
    List<AttributedString> title = take(true, line(title(), bold()));
    List<AttributedString> limit = take(true, limit());
    List<AttributedString> rates = take(true, line(rates(), PLAIN));
    List<AttributedString> counts = take(true, line(counts(), PLAIN));
    List<AttributedString> ends = take(false, table(ends()));
    List<AttributedString> messages = take(true, messages());
    int plotHeight = Math.min(left, Math.max(LEAST_PLOT, (height - FIXED_LINES) / 4));
    left -= plotHeight;
    List<AttributedString> disks = disks();
    int forDisks = Math.max(Math.max(FEW_ROWS, left / 3), left - openStreams() - 1);
    List<AttributedString> diskLines = rows(disks, forDisks);
    List<AttributedString> streamLines = rows(streams(left), left);
    int more = Math.min(left, Math.max(0, MOST_PLOT - plotHeight));
    plotHeight += more;
    left -= more;

    List<AttributedString> page = new ArrayList<>(title);
    page.addAll(progress);
    page.addAll(rates);
    if (plotHeight > 0) {
      RatePlot.lines(state.rates(), width, plotHeight, unicode)
          .forEach(one -> page.addAll(line(one, colour(AttributedStyle.GREEN))));
    }
    page.addAll(limit);
    page.addAll(counts);
    page.addAll(ends);
    page.addAll(diskLines);
    page.addAll(streamLines);
    page.addAll(messages);
    while (page.size() < height - keys.size()) {
      page.add(AttributedString.EMPTY);
    }
    page.addAll(keys);
    return page;
  }

  /** Takes lines as far as there is room; without {@code some}, all or none. */
  private List<AttributedString> take(boolean some, List<AttributedString> lines) {
    if (lines.size() > left && !some) {
      return List.of();
    }
    List<AttributedString> taken = lines.subList(0, Math.min(left, lines.size()));
    left -= taken.size();
    return taken;
  }

  /** The first lines of a table; none without room for the headings and a row. */
  private List<AttributedString> rows(List<AttributedString> lines, int most) {
    int count = Math.min(Math.min(left, lines.size()), most);
    return count < 2 ? List.of() : take(true, lines.subList(0, count));
  }

  private List<AttributedString> table(Table table) {
    List<AttributedString> lines = new ArrayList<>();
    for (String text : table.lines(width)) {
      lines.addAll(line(text, lines.isEmpty() ? colour(AttributedStyle.CYAN) : PLAIN));
    }
    return lines;
  }

  private List<AttributedString> line(String text, AttributedStyle style) {
    String cut = TerminalText.cut(LineText.clean(text), width);
    return List.of(colours ? new AttributedString(cut, style) : new AttributedString(cut));
  }

  private static AttributedStyle bold() {
    return PLAIN.bold();
  }

  private static AttributedStyle colour(int colour) {
    return PLAIN.foreground(colour);
  }

  private String title() {
    String clock = NumberText.clock(state.progress().elapsed().toSeconds());
    int room = width - clock.length() - 1;
    return room < 1 ? clock : TerminalText.left(state.title(), room) + " " + clock;
  }

  private String progress() {
    String line = ProgressLine.render(state.progress(), state.bytesPerSecond(), width);
    return unicode ? line : line.replace("≤", "<").replace("≥", ">");
  }

  private String keys() {
    return state.asks() ? "End the transfer? (y/n)" : "q: end the transfer";
  }

  private String rates() {
    TransferProgress progress = state.progress();
    double most = state.rates().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return "rate %s, mean %s, highest %s"
        .formatted(
            NumberText.rate(state.bytesPerSecond()),
            NumberText.rate(BitRate.mean(progress.figures().bytesDone(), progress.elapsed())),
            NumberText.rate(Math.max(most, state.bytesPerSecond())));
  }

  private String counts() {
    TransferProgress progress = state.progress();
    TransferFigures figures = progress.figures();
    String blocks =
        detail()
            .map(
                detail ->
                    NumberText.count(detail.blocks(), "block")
                        + ", "
                        + NumberText.count(detail.blocksRepeated())
                        + " sent again; ")
            .orElse("");
    return "errors %s; %sfiles %s done, %s unchanged; %s"
        .formatted(
            NumberText.count(figures.files().failed()),
            blocks,
            NumberText.count(figures.files().done()),
            NumberText.count(figures.files().unchanged()),
            NumberText.bytes(figures.bytesDone()));
  }

  private List<AttributedString> limit() {
    if (state.seen().isEmpty()) {
      return line("limited by: not known yet", PLAIN);
    }
    Observation seen = state.seen().get();
    String change = seen.change().isEmpty() ? "" : "; " + seen.change();
    boolean isFine = seen.limitedBy() == Bottleneck.RATE_LIMIT || seen.limitedBy().isNetwork();
    return line(
        "limited by %s for %s%s"
            .formatted(
                seen.limitedBy().text(), NumberText.clock(state.limitedFor().toSeconds()), change),
        colour(isFine ? AttributedStyle.GREEN : AttributedStyle.YELLOW));
  }

  private List<AttributedString> messages() {
    List<String> all = state.messages();
    List<AttributedString> lines = new ArrayList<>();
    all.subList(Math.max(0, all.size() - MOST_MESSAGES), all.size())
        .forEach(message -> lines.addAll(line(message, colour(AttributedStyle.YELLOW))));
    return lines;
  }

  private Optional<Detail> detail() {
    return state.seen().flatMap(Observation::detail);
  }

  private Table ends() {
    Table table = new Table().left("").right("processor", "FDT", "memory", "blocks", "free memory");
    Optional<Sample> sample = state.seen().map(Observation::sample);
    addEnd(
        table,
        "sender",
        detail().map(Detail::sender).orElse(EndState.UNKNOWN),
        sample.map(Sample::senderCpu));
    addEnd(
        table,
        "receiver",
        detail().map(Detail::receiver).orElse(EndState.UNKNOWN),
        sample.map(Sample::receiverCpu));
    return table;
  }

  /**
   * @param cpu the only figure if an end reports no details
   */
  private static void addEnd(Table table, String name, EndState end, Optional<Double> cpu) {
    if (!end.isKnown()) {
      table.add(name, cpu.map(MonitorPage::percent).orElse("-"), "-", "-", "-", "-");
      return;
    }
    table.add(
        name,
        percent(end.cpu()),
        percent(end.ownCpu()),
        amount(end.processBytes()),
        NumberText.progress(end.waitingBytes(), end.budgetBytes(), ""),
        end.hostBytes() == 0 ? "-" : NumberText.progress(end.hostFreeBytes(), end.hostBytes(), ""));
  }

  private List<AttributedString> disks() {
    Table table = new Table().left("disk").right("busy", "queue", "threads");
    detail()
        .ifPresent(
            detail -> {
              addDisks(table, "source ", detail.sender().disks());
              addDisks(table, "destination ", detail.receiver().disks());
            });
    return table(table);
  }

  private static void addDisks(Table table, String end, List<DiskState> disks) {
    for (DiskState disk : disks) {
      table.add(
          end + disk.name(),
          percent(disk.busy()),
          NumberText.count(disk.waiting()),
          NumberText.count(disk.threads()));
    }
  }

  private int openStreams() {
    return detail().map(Detail::openStreams).orElse(0);
  }

  /** The streams as a table; its last line counts the streams that do not fit. */
  private List<AttributedString> streams(int most) {
    Table table =
        new Table()
            .left("stream")
            .right("rate", "round trip", "sent again", "loss", "window", "queue", "least");
    List<StreamState> listed = detail().map(Detail::streams).orElse(List.of());
    boolean haveAll = listed.size() == openStreams() && listed.size() < most;
    int shown = haveAll ? listed.size() : Math.max(0, Math.min(listed.size(), most - 2));
    listed.subList(0, shown).forEach(stream -> addStream(table, stream));
    if (shown < openStreams()) {
      table.add("+" + (openStreams() - shown), " ", " ", " ", " ", " ", " ", " ");
    }
    return table(table);
  }

  private void addStream(Table table, StreamState stream) {
    double seconds = state.seen().orElseThrow().sample().seconds();
    table.add(
        Integer.toString(stream.number()),
        stream.parked() ? "parked" : NumberText.rate(stream.bytes() / seconds),
        millis(stream.roundTripMicros()),
        NumberText.count(stream.retransmits()),
        String.format(Locale.US, "%.3f %%", stream.loss() * 100),
        amount(stream.windowBytes()),
        NumberText.bytes(stream.queuedBytes()),
        millis(stream.leastRoundTripMicros()));
  }

  private static String amount(long bytes) {
    return bytes == 0 ? "-" : NumberText.bytes(bytes);
  }

  private static String millis(long micros) {
    return micros == 0
        ? "-"
        : String.format(Locale.US, micros < 10_000 ? "%.2f ms" : "%.1f ms", micros / 1000.0);
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }
}
