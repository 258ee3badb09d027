package io.fdt.core.receive;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.NameRule;
import io.fdt.core.session.Outbox;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.forward.DecodedSource;
import io.fdt.core.wire.DeletionMessages;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Deleted;
import io.fdt.core.wire.control.Deletion;
import io.fdt.core.wire.control.DeletionAnswer;
import io.fdt.core.wire.control.DeletionRoots;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The receiver's part in a deletion: on its own thread it finds names that the source may lack,
 * asks the sender about each, and removes those that the sender confirms as missing.
 *
 * <pre>
 *   roots of the sender -> every entry has an outcome, none failed -> run -> then
 *   each message: names to ask about, and outcomes of others -> answer -> next message
 * </pre>
 *
 * <p>One message is in flight at a time, which bounds the memory of both ends. Methods of the
 * deletion run on its thread, those marked so on the placement thread, the rest on the session's
 * event loop.
 */
public final class DeletionRun implements AutoCloseable {
  /**
   * The most characters of one message; with three bytes per character, still well below the
   * longest message.
   */
  private static final int MAX_CHARS = 64 << 10;

  private static final int MAX_ROOTS = 100_000;
  private static final long MAX_ROOT_BYTES = 16 << 20;
  private static final long END_DEADLINE_SECONDS = 10;

  private final String name;
  private final SessionLoop loop;
  private final TransferSpec spec;
  private final Outbox outbox;
  private final TransferEvents events;
  private final CheckMeter checks;
  private final Replacements replacements;
  private final KnownNames known = new KnownNames(new SplittableRandom());
  private final List<List<FileName>> roots = new ArrayList<>();

  /** Roots that are empty at the source. */
  private final List<List<FileName>> emptyRoots = new ArrayList<>();

  private final BlockingQueue<DeletionAnswer> answers = new LinkedBlockingQueue<>();
  private long rootBytes;
  private boolean isAnswerDue;
  private volatile Thread thread;
  private long deleted;
  private long failures;

  DeletionRun(
      String name,
      SessionLoop loop,
      TransferSpec spec,
      Outbox outbox,
      TransferEvents events,
      CheckMeter checks,
      Replacements replacements) {
    this.name = name;
    this.loop = loop;
    this.spec = spec;
    this.outbox = outbox;
    this.events = events;
    this.checks = checks;
    this.replacements = replacements;
  }

  /** Whether deletion was requested. Any thread. */
  boolean isWanted() {
    return spec.delete();
  }

  long deleted() {
    return deleted;
  }

  long failures() {
    return failures;
  }

  /** Records an entry. On the placement thread. */
  void placed(Entry entry) {
    if (isWanted()) {
      known.add(entry);
    }
  }

  /** All entries of a directory have an outcome. On the placement thread. */
  void ended(Entry directory) {
    known.ended(directory.id());
  }

  void onRoots(DeletionRoots message) throws FdtException {
    Set<BytePath> arrivals = arrivals();
    int first = roots.size();
    for (ByteString path : message.getPathsList()) {
      rootBytes += path.size();
      if (!isWanted() || roots.size() == MAX_ROOTS || rootBytes > MAX_ROOT_BYTES) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "%d directories of %d bytes to delete in; at most %d of %d are allowed, where any are"
                .formatted(roots.size() + 1, rootBytes, MAX_ROOTS, MAX_ROOT_BYTES));
      }
      List<FileName> names = DeletionMessages.decode(path);
      ByteString normal = DeletionMessages.encode(names);
      BytePath root = BytePath.of(normal.toByteArray());
      if (!spec.sources().isEmpty() && !arrivals.contains(root)) {
        throw new FdtException(ErrorCode.PROTOCOL, "the sender deletes without a request");
      }
      roots.add(names);
    }
    for (int index : message.getEmptyList()) {
      if (index < 0 || index >= message.getPathsCount() || emptyRoots.size() == roots.size()) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "empty directory %d of %d; the sender calls a directory empty that it does not send"
                .formatted(index, message.getPathsCount()));
      }
      emptyRoots.add(roots.get(first + index));
    }
  }

  /**
   * The paths of the sources at the destination; a source without one has failed, and then nothing
   * is deleted.
   */
  private Set<BytePath> arrivals() {
    return spec.sources().stream()
        .flatMap(source -> source.arrival().stream())
        .map(path -> spec.names() == NameRule.DECODE ? DecodedSource.decode(path) : path)
        .collect(Collectors.toSet());
  }

  void onAnswer(DeletionAnswer answer) throws FdtException {
    if (!isAnswerDue || answer.getLacking().size() > DeletionMessages.MAX_NAMES / Byte.SIZE) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "an answer of %d bytes; %s"
              .formatted(
                  answer.getLacking().size(),
                  isAnswerDue
                      ? "at most " + DeletionMessages.MAX_NAMES / Byte.SIZE + " are allowed"
                      : "no question was sent"));
    }
    isAnswerDue = false;
    answers.add(answer);
  }

  /**
   * Deletes, unless an entry has failed; then runs {@code then}, on the loop.
   *
   * @param failed entries that failed
   */
  void start(DestinationTree destination, long failed, Runnable then) {
    thread = new Thread(() -> run(destination, failed, then), name + "-delete");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(DestinationTree destination, long failed, Runnable then) {
    Exchange exchange = new Exchange();
    FdtException failure =
        DiskWork.attempt(
            () -> {
              try {
                for (Replacements.Gone gone : replacements.told()) {
                  exchange.deleted(gone.path(), gone.kind());
                }
                if (failed > 0) {
                  exchange.notice(
                      "%s, because not everything was transferred (%d)"
                          .formatted(nothingDeleted(), failed));
                } else {
                  delete(destination, exchange);
                }
                exchange.send(List.of());
              } catch (InterruptedException e) {
                throw new FdtException(ErrorCode.CANCELLED, "the deletion was ended early", e);
              }
            });
    loop.post(
        () -> {
          if (failure == null) {
            then.run();
          } else if (failure.code() != ErrorCode.CANCELLED) {
            events.failed(failure);
          }
        });
  }

  /** The end of a refusal: directories that files replace went, or would go, before it. */
  private String nothingDeleted() {
    return (replacements.names() == 0 ? "nothing" : "nothing else")
        + (spec.dryRun() ? " would be deleted" : " was deleted");
  }

  private void delete(DestinationTree destination, Exchange exchange)
      throws InterruptedException, FdtException {
    if (!emptyRoots.isEmpty() && !spec.deleteFromEmpty()) {
      Count count = new Count(exchange);
      destination.delete(emptyRoots, true, count);
      if (count.names > 0) {
        exchange.failed(
            "",
            new FdtException(
                ErrorCode.SOURCE_EMPTY,
                "the source is empty, and %d names would be deleted: %s; check that it is mounted, or add %s"
                    .formatted(count.names, nothingDeleted(), Setting.DELETE_FROM_EMPTY)));
        return;
      }
    }
    boolean isBounded = spec.maxDelete() < Long.MAX_VALUE;
    if (isBounded) {
      Count count = new Count(exchange);
      destination.delete(roots, true, count);
      long names = count.names + replacements.names();
      if (names > spec.maxDelete()) {
        exchange.failed(
            "",
            new FdtException(
                ErrorCode.TOO_MANY,
                "%d names would be deleted, and at most %d may be: %s; raise %s"
                    .formatted(names, spec.maxDelete(), nothingDeleted(), Setting.MAX_DELETE)));
        return;
      }
    }
    destination.delete(roots, spec.dryRun(), exchange);
  }

  @Override
  public void close() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** Waits until it has ended, up to a deadline. Not on the loop. */
  void awaitEnd() {
    Thread running = thread;
    if (running != null) {
      try {
        running.join(TimeUnit.SECONDS.toMillis(END_DEADLINE_SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The rules of this session, and the messages to the sender. On the deletion's thread. */
  private class Exchange implements DeletionRules {
    private Deletion.Builder message = Deletion.newBuilder();
    private int chars;

    @Override
    public boolean isKnown(List<FileName> way, FileName name) {
      checks.add(1);
      return known.contains(way, name);
    }

    @Override
    public boolean maySpellAKnownName(List<FileName> way, FileName name) {
      return known.mayContainSpelling(way, name);
    }

    @Override
    public boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory) {
      return replacements.isPretended(way, name)
          || spec.selection().leavesOut(way, name, isDirectory);
    }

    @Override
    public int maxDepth() {
      return spec.selection().maxDepth();
    }

    @Override
    public boolean oneFileSystem() {
      return spec.selection().oneFileSystem();
    }

    @Override
    public BitSet lacking(List<List<FileName>> paths) throws InterruptedException {
      BitSet lacking = new BitSet(paths.size());
      int next = 0;
      while (next < paths.size()) {
        int first = next;
        List<ByteString> asked = new ArrayList<>();
        for (int bytes = 0; next < paths.size() && bytes < MAX_CHARS; next++) {
          // A path too long for a message is sent as an empty path, and its name is kept.
          ByteString path = DeletionMessages.encode(paths.get(next));
          asked.add(path.size() > MAX_CHARS ? ByteString.EMPTY : path);
          bytes += path.size();
        }
        BitSet answer = BitSet.valueOf(send(asked).getLacking().asReadOnlyByteBuffer());
        for (int i = first; i < next; i++) {
          lacking.set(i, answer.get(i - first));
        }
      }
      return lacking;
    }

    /** Sends the collected outcomes, with names to ask about, and waits for the answer. */
    DeletionAnswer send(List<ByteString> asked) throws InterruptedException {
      Deletion full = message.addAllAsk(asked).build();
      message = Deletion.newBuilder();
      chars = 0;
      loop.post(
          () -> {
            isAnswerDue = true;
            full.getDeletedList().forEach(this::tell);
            if (!full.getNotice().isEmpty()) {
              events.notice(full.getNotice());
            }
            outbox.send(Control.newBuilder().setDeletion(full));
          });
      return answers.take();
    }

    /** Reports a deleted name. On the loop. */
    private void tell(Deleted name) {
      if (name.getCode() != 0) {
        failures += DeletionMessages.isOfAName(name) ? 1 : 0;
        events.problem(
            name.getPath().toStringUtf8(),
            false,
            ErrorCode.ofWireCode(name.getCode()),
            name.getMessage());
      } else {
        deleted++;
        events.deleted(
            name.getPath().toStringUtf8(), DeletionMessages.kindOf(name.getKind()), spec.dryRun());
      }
    }

    void notice(String text) {
      message.setNotice(text);
    }

    @Override
    public void deleted(String path, EntryKind kind) throws InterruptedException {
      add(Deleted.newBuilder().setKind(DeletionMessages.kindOf(kind)), path);
    }

    @Override
    public void failed(String path, FdtException cause) throws InterruptedException {
      String text = MessageText.fit(cause.getMessage());
      chars += text.length();
      add(Deleted.newBuilder().setCode(cause.code().wireCode()).setMessage(text), path);
    }

    private void add(Deleted.Builder name, String path) throws InterruptedException {
      String text = MessageText.fit(path);
      chars += text.length();
      message.addDeleted(name.setPath(ByteString.copyFromUtf8(text)));
      if (message.getDeletedCount() >= DeletionMessages.MAX_NAMES || chars >= MAX_CHARS) {
        send(List.of());
      }
    }
  }

  /** Only counts what would be deleted. */
  private final class Count extends Exchange {
    private final Exchange exchange;
    private long names;

    Count(Exchange exchange) {
      this.exchange = exchange;
    }

    @Override
    DeletionAnswer send(List<ByteString> asked) throws InterruptedException {
      return exchange.send(asked);
    }

    @Override
    public void deleted(String path, EntryKind kind) {
      names++;
    }

    /** The deletion itself will report the failure. */
    @Override
    public void failed(String path, FdtException cause) {}
  }
}
