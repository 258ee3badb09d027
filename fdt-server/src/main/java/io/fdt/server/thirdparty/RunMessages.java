package io.fdt.server.thirdparty;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Operand;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.DeletionMessages;
import io.fdt.core.wire.FiguresCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Deleted;
import io.fdt.core.wire.control.RunAttached;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEnded;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunEvents;
import io.fdt.core.wire.control.RunFile;
import io.fdt.core.wire.control.RunProgress;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.SkippedEntry;
import io.fdt.server.session.SessionRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Messages to clients about a directed session. */
public final class RunMessages {
  /** The most events of one message. */
  static final int MOST_EVENTS = 500;

  /** The longest stored command and path, because a list has many. */
  private static final int MOST_COMMAND = 4096;

  private static final int MOST_PATH = 500;
  private static final int MOST_SOURCES = 3;

  private RunMessages() {}

  /** Describes the request; the session adds its state. */
  public static RunDescription.Builder description(
      RunSession request, SessionRequest own, TransferSpec other) {
    TransferSpec spec = own.spec();
    List<Operand> sources = (own.isPull() ? spec : other).sources();
    RunDescription.Builder what =
        RunDescription.newBuilder()
            .setId(ByteString.copyFrom(own.id().bytes()))
            .setSends(own.isPull())
            .setPeerHost(request.getAddress().getHost())
            .setPeerPort(request.getAddress().getPort())
            .setSourceCount(sources.size())
            .setDestination(shown((own.isPull() ? other : spec).destination()))
            .setDryRun(spec.dryRun())
            .setConstruction(spec.digestMethod().construction());
    sources.stream().limit(MOST_SOURCES).forEach(source -> what.addSources(shown(source.path())));
    return what;
  }

  /** The command that repeats it; empty if it is too long. */
  public static String command(RunSession request) {
    String command = request.getCommand();
    return command.length() > MOST_COMMAND ? "" : command;
  }

  /** The first message to a client that follows. */
  public static Control attached(RunDescription what, long missed) {
    return Control.newBuilder()
        .setRunAttached(RunAttached.newBuilder().setRun(what).setMissed(missed))
        .build();
  }

  /** The last message about an ended session, for a client that attaches later. */
  public static Control ended(DirectedRuns.Ended record) {
    RunDescription last = record.last();
    return Control.newBuilder()
        .setRunEnded(
            RunEnded.newBuilder()
                .setCode(last.getCode())
                .setMessage(last.getMessage())
                .setProgress(last.getProgress())
                .setLost(last.getLost()))
        .build();
  }

  /** Sends earlier events, in as many messages as needed. */
  public static void sendEvents(DirectedRuns.Follower follower, List<RunEvent> events, long count) {
    for (int from = 0; from < events.size(); from += MOST_EVENTS) {
      List<RunEvent> some = events.subList(from, Math.min(events.size(), from + MOST_EVENTS));
      boolean isLast = from + some.size() == events.size();
      follower.send(
          Control.newBuilder()
              .setRunEvents(
                  RunEvents.newBuilder().addAllEvents(some).setEventCount(isLast ? count : 0))
              .build());
    }
  }

  /** Refuses a client at the limit of followers. */
  public static void refuse(DirectedRuns.Follower follower) {
    follower.send(
        AbortCoding.encode(
            new FdtException(
                ErrorCode.BUSY,
                DirectedRuns.MOST_FOLLOWERS
                    + " clients follow this session already; try again later")));
    follower.close();
  }

  /** A path for display, possibly truncated. */
  static ByteString shown(BytePath path) {
    String text = path.toString();
    return ByteString.copyFromUtf8(
        text.length() <= MOST_PATH ? text : text.substring(0, MOST_PATH) + "...");
  }

  /** The progress of a session. */
  static RunProgress progress(Progress p, long stalledNanos) {
    long stalledMillis = TimeUnit.NANOSECONDS.toMillis(stalledNanos);
    return FiguresCoding.encode(p.figures())
        .setStreams(p.streams())
        .setCurrent(MessageText.fit(p.current()))
        .setStalledMillis(stalledMillis < TimeUnit.SECONDS.toMillis(1) ? 0 : stalledMillis)
        .build();
  }

  /** The message about a file. */
  static RunFile.Builder file(Supplier<String> path, long size) {
    return RunFile.newBuilder().setPath(path.get()).setSize(size);
  }

  static RunEvent.Builder done(String path, long size, boolean resumed, byte[] digest) {
    return RunEvent.newBuilder()
        .setDone(file(() -> path, size).setResumed(resumed).setDigest(ByteString.copyFrom(digest)));
  }

  static RunEvent.Builder problem(String path, boolean skipped, ErrorCode code, String message) {
    return RunEvent.newBuilder()
        .setProblem(
            SkippedEntry.newBuilder()
                .setPath(ByteString.copyFromUtf8(path))
                .setSkipped(skipped)
                .setCode(code.wireCode())
                .setMessage(MessageText.fit(message)));
  }

  static RunEvent.Builder deleted(String path, EntryKind kind, boolean pretended) {
    Deleted.Builder deleted =
        Deleted.newBuilder()
            .setPath(ByteString.copyFromUtf8(path))
            .setKind(DeletionMessages.kindOf(kind));
    return RunEvent.newBuilder().setDeleted(deleted).setPretended(pretended);
  }
}
